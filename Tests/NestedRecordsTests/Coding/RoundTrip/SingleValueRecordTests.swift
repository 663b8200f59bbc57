import Foundation
import NestedRecords
import Testing

/// Records whose types write a single value.
@Suite struct SingleValueRecordTests {
    struct Point: Codable, Equatable {
        var x = 1
        var value = 2
    }

    @Test func entriesOfADictionaryAreTheFieldsOfTheRecord() throws {
        let fields: Record.Fields = ["a": 1, "value": 2]
        #expect(try RecordEncoder().encode(SingleValueRecordOf(["a": 1, "value": 2]))[0].fields == fields)
        #expect(try RecordEncoder().encode(RecordOf(["a": 1, "value": 2]))[0].fields == fields)
        #expect(try RecordEncoder().encode(SingleValueRecordOf(Point()))[0].fields == ["x": 1, "value": 2])
    }

    @Test func everyOtherValueIsInAFieldThatNoKeyHas() throws {
        #expect(try RecordEncoder().encode(SingleValueRecordOf(7))[0].fields == ["$value": 7])
        #expect(try RecordEncoder().encode(RecordOf([7]))[0].fields == ["$value": [7]])
        for model in [RecordOf(["$value": 1]), RecordOf(["a": 2, "$value": 1])] {
            let error = try #require(throws: RecordError.self) { try RecordEncoder().encode(model) }
            #expect(error.code == .invalidKey && error.key == "$value")
        }
        let error = try #require(throws: RecordError.self) {
            try RecordEncoder().encode(SingleValueRecordOf(["$value": 1]))
        }
        #expect(error.code == .invalidKey && error.key == "$value")
        try BothCoders.expectSame(Holder(["$value": 1]))
    }

    /// A record that holds only a reference is not the other record.
    @Test(arguments: ["School/tom", "Other/tom"])
    func referenceAsTheSingleValueOfARecordIsNotReadAsTheRecord(_ target: String) throws {
        struct School: RecordCodable, Identifiable {
            @RecordName var id: String
            var name: String
        }
        struct Named: RecordCodable, Identifiable {
            static var recordType: String { "School" }
            var id: String
            var name: String
        }
        func expectError<Model: RecordCodable>(_: Model.Type) throws {
            let value = Record.Value.reference(Record.Reference(to: try Record.ID(target)))
            let graph = try RecordGraph(
                [
                    Record(id: Record.ID("School/1"), fields: ["$value": value]),
                    Record(id: Record.ID(target), fields: ["id": "tom", "name": "Tom"]),
                ], roots: [Record.ID("School/1")])
            let error = #expect(throws: RecordError.self) { try RecordDecoder().decode(Model.self, from: graph) }
            #expect(error?.code == .identityMismatch)
            #expect(error?.recordID?.description == "School/1")
        }
        try expectError(School.self)
        try expectError(Named.self)
    }

    @Test func numberWithItsDigitsSaysWhatItIs() throws {
        struct Labels: RecordCodable, Identifiable {
            var id: Int
            var labels: [String: String]
        }
        let fields: Record.Fields = ["id": 1, "labels": .map(["$decimal": "1.5"])]
        let graph = try RecordGraph([Record(id: Record.ID("Labels/1"), fields: fields)])
        let error = #expect(throws: DecodingError.self) { try RecordDecoder().decode(Labels.self, from: graph) }
        #expect(error.map { "\($0)".contains("found a number that is stored as its digits: '1.5'") } == true)
    }

    @Test func emptyKeyOfASingleDictionaryIsRefused() throws {
        let error = try #require(throws: RecordError.self) {
            try RecordEncoder().encode(SingleValueRecordOf(["": 1]))
        }
        #expect(error.code == .invalidKey && error.key == "")
    }
}
