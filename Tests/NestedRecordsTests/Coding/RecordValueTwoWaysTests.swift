import Foundation
import NestedRecords
import Testing

/// A `Record.Value` that is handed a coder is the same as one that is handed to a container.
@Suite struct RecordValueTwoWaysTests {
    struct Box: RecordCodable, Equatable {
        var recordName: String { "box" }
        var value: Record.Value
        var writesByContainer: Bool
        var readsByContainer = true
        enum CodingKeys: CodingKey { case value, writesByContainer }
        static let readsByContainer = CodingUserInfoKey(rawValue: "RecordValueTwoWaysTests.reads").unsafelyUnwrapped

        init(_ value: Record.Value, writesByContainer: Bool) {
            (self.value, self.writesByContainer) = (value, writesByContainer)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            writesByContainer = try container.decode(Bool.self, forKey: .writesByContainer)
            value =
                decoder.userInfo[Self.readsByContainer] as? Bool ?? true
                ? try container.decode(Record.Value.self, forKey: .value)
                : try Record.Value(from: container.superDecoder(forKey: .value))
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(writesByContainer, forKey: .writesByContainer)
            if writesByContainer {
                try container.encode(value, forKey: .value)
            } else {
                try value.encode(to: container.superEncoder(forKey: .value))
            }
        }
    }

    private static let values: [Record.Value] = [
        .date(Date(timeIntervalSinceReferenceDate: 7)), .bytes(Data([1, 2])), .bytes(Data()), .double(2), .null,
        .list([.date(.distantPast), .bytes(Data([3]))]), .map(["$date": .string("no date"), "a": .double(1)]),
    ]

    @Test(arguments: values) func valueIsTheSameBothWays(_ value: Record.Value) throws {
        for writes in [true, false] {
            let box = Box(value, writesByContainer: writes)
            let graph = try RecordEncoder().encode(box)
            #expect(graph[0]["value"] == value)
            for reads in [true, false] {
                var decoder = RecordDecoder()
                decoder.coding.userInfo[Box.readsByContainer] = reads
                #expect(try decoder.decode(Box.self, from: graph) == box)
            }
        }
    }
}
