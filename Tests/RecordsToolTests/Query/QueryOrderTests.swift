import NestedRecords
import Testing

@testable import records

@Suite struct QueryOrderTests {
    private let records: [Record] = {
        [
            #"{"id":"B/2","fields":{"n":1,"m":2}}"#, #"{"id":"A/2","fields":{"n":1.0,"m":1}}"#,
            #"{"id":"A/1","fields":{"n":null}}"#, #"{"id":"C/1","fields":{}}"#, #"{"id":"B/1","fields":{"n":"x"}}"#,
        ].compactMap { try? ToolFolder.record($0) }
    }()

    @Test(arguments: [
        (["n"], "C/1 A/1 A/2 B/2 B/1"), (["-n"], "B/1 A/2 B/2 A/1 C/1"), (["n", "-m"], "C/1 A/1 B/2 A/2 B/1"),
        (["@id"], "A/1 A/2 B/1 B/2 C/1"), (["-@id"], "C/1 B/2 B/1 A/2 A/1"), (["-@type", "n"], "C/1 B/2 B/1 A/1 A/2"),
        (["@name"], "A/1 B/1 C/1 A/2 B/2"), (["m"], "A/1 B/1 C/1 A/2 B/2"),
    ])
    func recordsOfSeveralTypesAreInOneOrder(_ texts: [String], _ ids: String) throws {
        let sorted = try QueryOrder(texts).sorted(records)
        #expect(sorted.map(\.id.description).joined(separator: " ") == ids)
    }

    @Test func orderOfOneTypeIsThatOfTheLibrary() throws {
        let order = try QueryOrder(["-a.'b.c'", "@modified", "@type", "@id"])
        #expect(
            order.ofOneType == [
                RecordOrder(FieldPath(["a", "b.c"]), isDescending: true), RecordOrder(.modificationDate),
                RecordOrder(.recordName),
            ])
        #expect(order.paths == [FieldPath(["a", "b.c"])])
    }
}
