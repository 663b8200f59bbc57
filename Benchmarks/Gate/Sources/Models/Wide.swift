public import NestedRecords

/// A record of 50 fields.
public struct Wide: RecordCodable, Identifiable, Sendable {
    /// The name of the record.
    public var id: String

    var count0, count1, count2, count3, count4, count5, count6, count7, count8, count9, count10, count11, count12,
        count13, count14, count15, count16, count17, count18, count19: Int
    var text0, text1, text2, text3, text4, text5, text6, text7, text8, text9, text10, text11, text12, text13,
        text14: String
    var size0, size1, size2, size3, size4, size5, size6, size7, size8, size9: Double
    var flag0, flag1, flag2, flag3: Bool

    init(_ texts: inout Texts) {
        id = texts.identifier()
        count0 = texts.number(below: 100_000)
        count1 = texts.number(below: 100_000)
        count2 = texts.number(below: 100_000)
        count3 = texts.number(below: 100_000)
        count4 = texts.number(below: 100_000)
        count5 = texts.number(below: 100_000)
        count6 = texts.number(below: 100_000)
        count7 = texts.number(below: 100_000)
        count8 = texts.number(below: 100_000)
        count9 = texts.number(below: 100_000)
        count10 = texts.number(below: 100_000)
        count11 = texts.number(below: 100_000)
        count12 = texts.number(below: 100_000)
        count13 = texts.number(below: 100_000)
        count14 = texts.number(below: 100_000)
        count15 = texts.number(below: 100_000)
        count16 = texts.number(below: 100_000)
        count17 = texts.number(below: 100_000)
        count18 = texts.number(below: 100_000)
        count19 = texts.number(below: 100_000)
        text0 = texts.words()
        text1 = texts.words()
        text2 = texts.words()
        text3 = texts.words()
        text4 = texts.words()
        text5 = texts.words()
        text6 = texts.words()
        text7 = texts.words()
        text8 = texts.words()
        text9 = texts.words()
        text10 = texts.words()
        text11 = texts.words()
        text12 = texts.words()
        text13 = texts.words()
        text14 = texts.words()
        size0 = Double(texts.number(below: 100_000)) / 8
        size1 = Double(texts.number(below: 100_000)) / 8
        size2 = Double(texts.number(below: 100_000)) / 8
        size3 = Double(texts.number(below: 100_000)) / 8
        size4 = Double(texts.number(below: 100_000)) / 8
        size5 = Double(texts.number(below: 100_000)) / 8
        size6 = Double(texts.number(below: 100_000)) / 8
        size7 = Double(texts.number(below: 100_000)) / 8
        size8 = Double(texts.number(below: 100_000)) / 8
        size9 = Double(texts.number(below: 100_000)) / 8
        flag0 = texts.number(below: 2) == 0
        flag1 = texts.number(below: 2) == 0
        flag2 = texts.number(below: 2) == 0
        flag3 = texts.number(below: 2) == 0
    }

    /// A list of this many records.
    public static func list(of count: Int) -> [Wide] {
        var texts = Texts(seed: 3)
        return (0..<count).map { _ in Wide(&texts) }
    }
}
