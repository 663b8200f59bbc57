import NestedRecords
import TestSupport
import Testing

/// Types that put the reading of a payload off until they know what it is.
@Suite(.timeLimit(.minutes(10))) struct KeptNestedDecoderTests {
    enum CodingKeys: CodingKey { case envelope, payload, kind }

    enum Keeps: CaseIterable { case superDecoder, nestedContainer, nestedContainerOfKeptDecoder, decoder }

    struct Words: Decodable {
        var words: [String]
        var path: [String]

        enum CodingKeys: CodingKey { case words }

        init(from decoder: any Decoder) throws {
            path = decoder.codingPath.map(\.stringValue)
            words = try decoder.container(keyedBy: CodingKeys.self).decode([String].self, forKey: .words)
        }
    }

    static let keeps = CodingUserInfoKey(rawValue: "keeps")

    struct Envelope: Decodable {
        var read: () throws -> Words

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let key = try #require(KeptNestedDecoderTests.keeps)
            switch decoder.userInfo[key] as? Keeps {
            case .superDecoder:
                let payload = try container.superDecoder(forKey: .payload)
                read = { try payload.container(keyedBy: CodingKeys.self).decode(Words.self, forKey: .kind) }
            case .nestedContainer:
                let payload = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .payload)
                read = { try payload.decode(Words.self, forKey: .kind) }
            case .nestedContainerOfKeptDecoder:
                read = {
                    try decoder.container(keyedBy: CodingKeys.self)
                        .nestedContainer(keyedBy: CodingKeys.self, forKey: .payload).decode(Words.self, forKey: .kind)
                }
            case .decoder, nil:
                read = {
                    struct Payload: Decodable { var kind: Words }
                    return try decoder.container(keyedBy: CodingKeys.self).decode(Payload.self, forKey: .payload).kind
                }
            }
        }
    }

    /// Reads the payload of an envelope that is a number of levels below.
    struct Mail: RecordDecodable {
        static var recordType: String { "Mail" }
        var recordName: String { "mail" }
        var words: Words

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let envelopes = try container.decode([Envelope].self, forKey: .envelope)
            words = try #require(envelopes.first).read()
        }
    }

    private func mail(_ keeps: Keeps, words: Record.Value = .list([.string("hello")])) throws -> Mail {
        let payload: Record.Value = .map(["kind": .map(["words": words])])
        let record = try Flat.record("Mail/mail", ["envelope": .list([.map(["payload": payload])])])
        var decoder = RecordDecoder()
        decoder.userInfo[try #require(Self.keeps)] = keeps
        return try decoder.decode(Mail.self, from: RecordGraph([record]))
    }

    static let path = ["envelope", "Index 0", "payload", "kind"]

    @Test func payloadOfAKeptDecoderKnowsItsPath() throws {
        let mail = try mail(.decoder)
        #expect(mail.words.words == ["hello"])
        #expect(mail.words.path == Self.path)
    }

    @Test func errorInThePayloadOfAKeptDecoderTellsItsPlace() throws {
        let error = try #require(throws: DecodingError.self) { try mail(.decoder, words: .list([.bool(true)])) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == Self.path + ["words", "Index 0"])
        #expect(context.debugDescription.hasSuffix("in record Mail/mail, field 'envelope'"))
    }

    static let nested = [Keeps.superDecoder, .nestedContainer, .nestedContainerOfKeptDecoder]

    @Test(arguments: nested)
    func payloadThatIsReadLaterKnowsItsPath(keeps: Keeps) throws {
        let mail = try mail(keeps)
        #expect(mail.words.words == ["hello"])
        #expect(mail.words.path == Self.path)
    }

    @Test(arguments: nested)
    func errorInAPayloadThatIsReadLaterTellsItsPath(keeps: Keeps) throws {
        let error = try #require(throws: DecodingError.self) { try mail(keeps, words: .list([.bool(true)])) }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("unexpected error: \(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == Self.path + ["words", "Index 0"])
    }
}
