import NestedRecords
import TestSupport
import Testing

/// Errors that come after others which a type passed over.
@Suite struct LateErrorTests {
    struct Failure: Error {}

    struct Root<Value: Decodable>: RecordDecodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var value: Value
    }

    struct Point: Decodable { var x: Int }

    /// Tries two forms and, if both fail, tells what was wrong with the first.
    struct PointOrNumber: Decodable {
        init(from decoder: any Decoder) throws {
            do {
                _ = try Point(from: decoder)
            } catch let first {
                do { _ = try decoder.singleValueContainer().decode(Int.self) } catch { throw first }
            }
        }
    }

    struct Careless: Decodable {
        enum CodingKeys: CodingKey { case passed }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _ = try? container.decode(Int.self, forKey: .passed)
            throw Failure()
        }
    }

    struct Pole: Codable {
        init() {}
        init(from decoder: any Decoder) throws { _ = try Location(latitude: 100, longitude: 0) }
        func encode(to encoder: any Encoder) throws { _ = try Location(latitude: 100, longitude: 0) }
    }

    struct Holding: RecordEncodable {
        static var recordType: String { "Root" }
        var recordName: String { "root" }
        var value = Pole()
    }

    private func error<Value: Decodable>(_: Value.Type) throws -> any Error {
        let record = try Flat.record("Root/root", ["value": .map(["passed": .string("text")])])
        return try #require(throws: (any Error).self) {
            try RecordDecoder().decode(Root<Value>.self, from: RecordGraph([record]))
        }
    }

    @Test func firstErrorTellsItsRecordOnceAlthoughAnotherCameBetween() throws {
        guard case DecodingError.keyNotFound(_, let context) = try error(PointOrNumber.self) else { return }
        #expect(context.debugDescription == "there is no field 'x', in record Root/root, field 'value'")
    }

    @Test func errorOfATypeDoesNotStandAtAPropertyThatFailedBefore() throws {
        guard case DecodingError.dataCorrupted(let context) = try error(Careless.self) else { return }
        #expect(context.codingPath.map(\.stringValue) == ["value"])
    }

    @Test func wrongLocationThatATypeMakesWhileItIsDecodedIsPlaced() throws {
        #expect("\(try error(Pole.self))".contains("Root/root"))
    }

    @Test func wrongLocationThatATypeMakesWhileItIsEncodedIsPlaced() throws {
        let error = try #require(throws: (any Error).self) { try RecordEncoder().encode(Holding()) }
        #expect("\(error)".contains("Root/root"))
    }
}
