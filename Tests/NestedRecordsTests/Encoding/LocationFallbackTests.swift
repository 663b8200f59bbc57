import NestedRecords
import Testing

/// A location property that is written again after its text was refused.
@Suite struct LocationFallbackTests {
    struct Place: RecordEncodable {
        static var recordType: String { "Place" }
        static var locationProperties: Set<String> { ["position"] }
        var recordName: String { "place" }

        enum CodingKeys: CodingKey { case position }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            do {
                try container.encode("nowhere", forKey: .position)
            } catch {
                try container.encode("0.0;0.0", forKey: .position)
            }
        }
    }

    @Test
    func secondTryThrowsTheFirstError() throws {
        let error = try #require(throws: EncodingError.self) { try RecordEncoder().encode(Place()) }
        guard case .invalidValue(let value, let context) = error else { return }
        #expect(value as? String == "nowhere")
        #expect(context.codingPath.map(\.stringValue) == ["position"])
        #expect(context.debugDescription.contains("Place/place"))
    }
}
