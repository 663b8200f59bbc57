import NestedRecords
import TestSupport
import Testing

/// A ring that a type makes an error of its own of: whether it is one depends on where decoding began.
@Suite struct WrappedCycleTests {
    struct Failure: Error {}

    struct Strict: RecordDecodable, Identifiable {
        let id: Int
        let careless: Careless

        enum CodingKeys: CodingKey { case id, careless }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            do { careless = try container.decode(Careless.self, forKey: .careless) } catch { throw Failure() }
        }
    }

    struct Careless: RecordDecodable, Identifiable {
        let id: Int

        enum CodingKeys: CodingKey { case id, strict }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            _ = try? container.decode(Strict.self, forKey: .strict)
        }
    }

    struct Root: RecordDecodable {
        static var recordType: String { "Root" }
        static let carelessFirst = CodingUserInfoKey(rawValue: "carelessFirst")
        let recordName: String
        let strict: Strict

        enum CodingKeys: CodingKey { case strict, careless }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let key = try #require(Self.carelessFirst)
            recordName = "root"
            if decoder.userInfo[key] as? Bool == true {
                _ = try container.decode(Careless.self, forKey: .careless)
            }
            strict = try container.decode(Strict.self, forKey: .strict)
        }
    }

    @Test(arguments: [false, true])
    func recordThatCanBeDecodedIsDecodedWhateverCameBefore(carelessFirst: Bool) throws {
        let strict = try Flat.reference("Strict/1")
        let careless = try Flat.reference("Careless/1")
        let graph = try RecordGraph(
            [
                Flat.record("Root/root", ["strict": strict, "careless": careless]),
                Flat.record("Strict/1", ["id": .int(1), "careless": careless]),
                Flat.record("Careless/1", ["id": .int(1), "strict": strict]),
            ], roots: [Record.ID("Root/root")])
        var decoder = RecordDecoder()
        decoder.userInfo[try #require(Root.carelessFirst)] = carelessFirst
        #expect(try decoder.decode(Root.self, from: graph).strict.careless.id == 1)
    }
}
