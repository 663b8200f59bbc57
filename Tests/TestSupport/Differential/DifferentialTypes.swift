import Foundation
import NestedRecords

extension DifferentialType {
    /// The types that are compared: one line for each.
    static let all =
        scalars + wideIntegers + foundation + collections + shapes + unions + wrappers + records

    private static func map<Key: Hashable, Value>(_ entries: (Key, Value)...) -> [Key: Value] {
        Dictionary(entries, uniquingKeysWith: { first, _ in first })
    }

    private static let scalars: [DifferentialType] = [
        DifferentialType("Bool") { Bool.random(using: &$0) },
        DifferentialType("Int") { $0.integer() },
        DifferentialType("Int8") { Int8.random(in: .min ... .max, using: &$0) },
        DifferentialType("Int64") { $0.pick([.min, .max, 1 << 53 + 1, -1, 0]) as Int64 },
        DifferentialType("UInt8") { UInt8.random(in: .min ... .max, using: &$0) },
        DifferentialType("UInt64") { $0.pick([0, 1, 1 << 53 + 1, UInt64(Int64.max)]) as UInt64 },
        DifferentialType("UInt64 beyond Int64") { UInt64(Int64.max) + 1 + $0.next() >> 1 },
        DifferentialType("Float") { Float($0.number()) },
        DifferentialType("Double") { $0.number() },
        DifferentialType("String") { $0.text() },
        DifferentialType("Date") { $0.date() },
        DifferentialType("Data") { Data($0.text().utf8) },
        DifferentialType("Decimal") { $0.decimal() },
        DifferentialType("URL") { $0.url() },
        DifferentialType("UUID") { $0.uuid() },
        DifferentialType("Duration") {
            Duration.milliseconds($0.integer() / 1_000_000) + .nanoseconds($0.integer() / 11)
        },
        DifferentialType("Duration, long") { Duration.seconds($0.pick([100, 1 << 40, -5])) },
        DifferentialType("string enumeration") { $0.pick(TextCase.allCases) },
        DifferentialType("integer enumeration") { $0.pick(NumberCase.allCases) },
        DifferentialType("option set") { Options(rawValue: Int.random(in: 0...7, using: &$0)) },
        DifferentialType("raw value of a date") { RawDate(rawValue: $0.date()) },
        DifferentialType("optional of an optional") { $0.pick([.some(nil), nil, 5]) as Int?? },
    ]

    private static let wideIntegers: [DifferentialType] = {
        guard #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) else { return [] }
        return [DifferentialType("Int128") { Int128($0.integer()) << $0.pick([0, 10, 70, 90]) }]
    }()

    private static let foundation: [DifferentialType] = [
        DifferentialType("DateComponents") {
            DateComponents(year: $0.integer() % 3_000, month: 2, day: 3, nanosecond: $0.pick([nil, 5]))
        },
        DifferentialType("DateInterval") {
            DateInterval(start: $0.date(), duration: Double.random(in: 0...1e6, using: &$0))
        },
        DifferentialType("Measurement") {
            Measurement(value: $0.number(), unit: $0.pick([UnitLength.miles, .meters]))
        },
        DifferentialType("IndexSet") { IndexSet([3, 4, 900, Int.random(in: 0...50, using: &$0)]) },
        DifferentialType("IndexPath") { IndexPath(indexes: [1, 2, Int.random(in: 0...50, using: &$0)]) },
        DifferentialType("Locale") { Locale(identifier: $0.pick(["de_CH", "en_GB"])) },
        DifferentialType("TimeZone") { TimeZone(secondsFromGMT: $0.pick([0, 3_600])) },
        DifferentialType("Calendar") { Calendar(identifier: $0.pick([.gregorian, .buddhist])) },
        DifferentialType("URLComponents") { URLComponents(url: $0.url(), resolvingAgainstBaseURL: false) },
        DifferentialType("PersonNameComponents") {
            var name = PersonNameComponents()
            name.givenName = $0.text()
            return name
        },
        DifferentialType("CGPoint") { CGPoint(x: $0.number(), y: $0.number()) },
        DifferentialType("CGRect") { CGRect(x: $0.number(), y: 0, width: 1, height: $0.number()) },
        DifferentialType("AffineTransform") { AffineTransform(m11: 1, m12: 0, m21: 2, m22: 3, tX: $0.number(), tY: 0) },
        DifferentialType("SIMD4<Double>") { SIMD4($0.number(), 0, -0.0, 2) },
        DifferentialType("SIMD2<Int>") { SIMD2($0.integer(), -1) },
        DifferentialType("Range<Int>") { (-1..<Int.random(in: 0...9, using: &$0)) },
        DifferentialType("Range<Date>") { generator in
            let date = generator.date()
            return date..<date.addingTimeInterval(7)
        },
        DifferentialType("ClosedRange<String>") { _ in "a"..."é" },
        DifferentialType("PartialRangeFrom<Double>") { EquatableRange(range: PartialRangeFrom($0.number())) },
        DifferentialType("CharacterSet") { _ in CharacterSet(charactersIn: "abc") },
        DifferentialType("CollectionDifference") {
            [1, 2, 3].difference(from: [$0.integer(), 2])
        },
    ]

    private static let collections: [DifferentialType] = [
        DifferentialType("[Int]") { [$0.integer(), 0, 1, 2] },
        DifferentialType("[Bool?]") { [.random(using: &$0), nil] as [Bool?] },
        DifferentialType("[UInt8]") { Array($0.text().utf8) },
        DifferentialType("[]") { _ in [Int]() },
        DifferentialType("ContiguousArray<Date>") { [$0.date(), $0.date()] as ContiguousArray },
        DifferentialType("[Data]") { [Data(), Data($0.text().utf8), Data([1])] },
        DifferentialType("Set<String>") { Set([$0.text(), $0.text()]) },
        DifferentialType("Set<Data>") { Set([Data($0.text().utf8), Data()]) },
        DifferentialType("Set<Point>") { Set([Point(x: 1, y: $0.integer()), Point(x: 1, y: nil)]) },
        DifferentialType("Set<Set<Int>>") { Set([Set([1, 2, $0.integer()]), Set([3]), Set()]) },
        DifferentialType("Set<Int?>") { Set([1, nil, $0.integer()]) },
        DifferentialType("Set<[String: Int]>") { Set([["a": $0.integer()], ["b": 2], [:]]) },
        DifferentialType("[String: Int]") { map(($0.text(), $0.integer()), ($0.text(), 1)) },
        DifferentialType("[String: Int?]") { map(($0.text(), nil), ("value", $0.integer())) as [String: Int?] },
        DifferentialType("[String: [String: Data]]") { map(($0.text(), ["value": Data($0.text().utf8)]), ("", [:])) },
        DifferentialType("[:]") { _ in [String: Int]() },
        DifferentialType("[Int: Date]") { map(($0.integer(), $0.date()), (0, $0.date())) },
        DifferentialType("[UUID: Int]") { [$0.uuid(): 1, $0.uuid(): 2] },
        DifferentialType("[Double: String]") { map(($0.number(), "a"), (0.5, "b")) },
        DifferentialType("[Date: Int]") { map(($0.date(), 1), ($0.date(), 2)) },
        DifferentialType("[Point: [Int]]") { [Point(x: $0.integer(), y: nil): [1], Point(x: 1, y: 3): []] },
        DifferentialType("[Bool: [Int?]]") { [true: [nil, $0.integer()], false: []] as [Bool: [Int?]] },
        DifferentialType("[Int?: Int]") { [nil: $0.integer(), 2: 3] as [Int?: Int] },
        DifferentialType("[[Int]: Int]") { [[1, $0.integer()]: 1, []: 2] },
        DifferentialType("[String: Int], many") { _ in
            Dictionary(uniqueKeysWithValues: (0..<300).map { ("k\($0)", $0) })
        },
        DifferentialType("[TextCase: Int]") { [.first: $0.integer(), .second: 1] as [TextCase: Int] },
        DifferentialType("[representable key: Int]") { [RepresentableKey(text: $0.text()): 5] },
        DifferentialType("[numeric key: Int]") { [NumericKey(number: $0.integer()): 5] },
    ]

    private static let shapes: [DifferentialType] = [
        DifferentialType("no properties") { _ in Empty() },
        DifferentialType("plain object") { Plain(&$0) },
        DifferentialType("object with optionals") { Optionals(&$0) },
        DifferentialType("integer keys") { IntegerKeyed(&$0) },
        DifferentialType("odd keys") { OddKeyed(&$0) },
        DifferentialType("key named value") { ValueKeyed(&$0) },
        DifferentialType("open keys") { OpenKeyed(&$0) },
        DifferentialType("enumeration with payloads") {
            $0.pick([
                .none, .one(1), .line(1, -1), .two(a: "x", b: nil), .mixed(1, name: "a", Empty()),
                .mixed(1, name: "", nil), .super(value: [.none, .super(value: [])]),
            ]) as Payloads
        },
        DifferentialType("generic enumerations") {
            $0.pick([.success([1]), .failure(.failure(.second)), .failure(.success(.one(1)))])
                as Outcome<[Int], Outcome<Payloads, TextCase>>
        },
        DifferentialType("tree") { Tree(depth: 3, &$0) },
    ]

    private static let unions: [DifferentialType] = [
        DifferentialType("Bool, Int, Double, String, list, map") { Union<BoolFirst>($0.element()) },
        DifferentialType("Int, Bool, String, Double, map, list") { Union<IntFirst>($0.element()) },
        DifferentialType("String, Double, Int, Bool, list, map") { Union<TextFirst>($0.element()) },
        DifferentialType("map, list, Double, Bool, String") { Union<MapFirst>($0.element()) },
        DifferentialType("Decimal, Bool, String, list, map") { Union<DecimalFirst>($0.element()) },
        DifferentialType("Date, String, Bool") { Union<DateFirst>(.text($0.text())) },
        DifferentialType("UUID, URL, String, Bool, Int") { Union<LocatorFirst>($0.element()) },
        DifferentialType("any value") { AnyValue(base: $0.element()) },
        DifferentialType("object with any values") { ["a": AnyValue(base: $0.element()), "b": AnyValue(base: .null)] },
        DifferentialType("encodable without its type") { AnyEncodableLike($0.element()) },
        DifferentialType("tagged union") {
            $0.chance(oneIn: 2) ? Tagged.plain(Plain(&$0)) : .text(Texts(text: $0.text()))
        },
        DifferentialType("union of objects") {
            $0.chance(oneIn: 2) ? EitherObject.plain(Plain(&$0)) : .texts(Texts(text: $0.text()))
        },
        DifferentialType("object or text") {
            $0.chance(oneIn: 2) ? TextOrObject.text($0.text()) : .object(Texts(text: $0.text()))
        },
        DifferentialType("one or many") { OneOrMany(elements: $0.pick([[], [1], [1, 0]])) },
    ]

    private static let wrappers: [DifferentialType] = [
        DifferentialType("Date handed on, read plainly") { Crossed(held: $0.date(), isHandedOn: true) },
        DifferentialType("Date plain, read from the decoder") { Crossed(held: $0.date(), isHandedOn: false) },
        DifferentialType("String handed on, read plainly") { Crossed(held: $0.text(), isHandedOn: true) },
        DifferentialType("Double plain, read from the decoder") { Crossed(held: $0.number(), isHandedOn: false) },
        DifferentialType("Duration handed on, read plainly") { _ in
            Crossed(held: Duration.seconds(100), isHandedOn: true)
        },
        DifferentialType("Duration plain, read from the decoder") {
            Crossed(held: Duration.milliseconds($0.integer() % 100_000), isHandedOn: false)
        },
        DifferentialType("Data handed on, read plainly") { Crossed(held: Data($0.text().utf8), isHandedOn: true) },
        DifferentialType("Data plain, read from the decoder") {
            Crossed(held: Data($0.text().utf8), isHandedOn: false)
        },
        DifferentialType("Decimal handed on, read plainly") { Crossed(held: $0.decimal(), isHandedOn: true) },
        DifferentialType("URL handed on, read plainly") { Crossed(held: $0.url(), isHandedOn: true) },
        DifferentialType("UUID plain, read from the decoder") { Crossed(held: $0.uuid(), isHandedOn: false) },
        DifferentialType("bytes handed on, read plainly") { Crossed(held: Array($0.text().utf8), isHandedOn: true) },
        DifferentialType("bytes plain, read from the decoder") {
            Crossed(held: Array($0.text().utf8), isHandedOn: false)
        },
        DifferentialType("object handed on, read plainly") { Crossed(held: Plain(&$0), isHandedOn: true) },
        DifferentialType("list handed on, read plainly") { Crossed(held: [$0.date()], isHandedOn: true) },
        DifferentialType("list plain, read from the decoder") { Crossed(held: [$0.text()], isHandedOn: false) },
        DifferentialType("number in a string") { TextNumber(number: $0.integer()) },
        DifferentialType("property wrappers") { Wrapped(&$0) },
    ]

    private static let records: [DifferentialType] = [
        DifferentialType("record") { Item(&$0) },
        DifferentialType("list of one record") { generator in
            let item = Item(&generator)
            return [item, item]
        },
        DifferentialType("set of records") { Set([Item(&$0), Item(id: 100)]) },
        DifferentialType("records as keys") { [Item(id: 100): Item(&$0), Item(id: 101): Item(id: 100)] },
        DifferentialType("enumeration that is a record") { [Choice.item(Item(&$0), name: .first), .none] },
        DifferentialType("class with shared instances") { _ in
            let shared = Node("shared")
            return Node("root", Node("left", shared, shared), shared)
        },
        DifferentialType("record with children") { RecordWithChildren(&$0) },
        DifferentialType("class record") { Owner(&$0) },
        DifferentialType("record or text") { $0.chance(oneIn: 2) ? RecordOrText.item(Item(&$0)) : .text($0.text()) },
        DifferentialType("record handed on, read plainly") { Crossed(held: Item(&$0), isHandedOn: true) },
        DifferentialType("record plain, read from the decoder") { Crossed(held: Item(&$0), isHandedOn: false) },
        DifferentialType("record with embedded values") { Parcel(&$0) },
        DifferentialType("record with embedded values handed on") { Crossed(held: Parcel(&$0), isHandedOn: true) },
        DifferentialType("record with embedded values, read from the decoder") {
            Crossed(held: Parcel(&$0), isHandedOn: false)
        },
        DifferentialType("record read as a dictionary") { ItemMap(item: Item(&$0)) },
        DifferentialType("link") { Linked(&$0) },
    ]
}
