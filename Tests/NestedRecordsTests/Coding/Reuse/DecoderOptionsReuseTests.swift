import NestedRecords
import TestSupport
import Testing

/// The options of one call of the decoder mean nothing to the next.
@Suite(.timeLimit(.minutes(10))) struct DecoderOptionsReuseTests {
    class Animal: RecordCodable {
        class var recordType: String { "Animal" }
        var recordName: String { name }
        var name: String
        init(name: String) { self.name = name }
    }

    final class Cat: Animal {
        override static var recordType: String { "Cat" }
    }

    final class Tomcat: Animal {
        override static var recordType: String { "Cat" }
    }

    struct Owner: RecordCodable {
        static var recordType: String { "Owner" }
        var recordName: String { "o" }
        var pets: [Animal]
        var best: Animal?
    }

    enum Options: CaseIterable { case none, cat, tomcat, omitting, few, shallow, omittingCat }

    private func decoder(_ options: Options) -> RecordDecoder {
        var decoder = RecordDecoder()
        switch options {
        case .none: break
        case .cat: decoder.register(Cat.self)
        case .tomcat: decoder.register(Tomcat.self)
        case .omitting: decoder.danglingReferencePolicy = .omit
        case .few: decoder.maximumRecords = 1
        case .shallow: decoder.maximumDepth = 1
        case .omittingCat:
            decoder.danglingReferencePolicy = .omit
            decoder.register(Cat.self)
        }
        return decoder
    }

    /// Decodes an owner of an animal, of a cat or of a missing animal.
    private func outcome(_ options: Options, _ pet: String) async throws -> [String] {
        let owner = try Flat.record("Owner/o", ["pets": Flat.references([pet])])
        let animals = try ["Animal/a", "Cat/c"].map { try Flat.record($0, ["name": .string(String($0.suffix(1)))]) }
        let records = [owner] + animals
        let graph = try RecordGraph(records, roots: [owner.id])
        let database = try await CountingDatabase(holding: records)
        func text(_ resolution: RecordDecoder.Resolution<Owner>) -> String {
            "\(resolution.value.pets.map { "\(type(of: $0)) \($0.name)" }) dropped: \(resolution.dropped)"
        }
        let results = [
            Result(catching: { text(try decoder(options).resolve(Owner.self, from: graph)) }),
            await Result { text(try await decoder(options).resolve(Owner.self, from: owner.id, in: database)) },
        ]
        return results.map { result in
            switch result {
            case .success(let text): text
            case .failure(let error): "\(error)"
            }
        }
    }

    private func expected(_ options: Options, _ pet: String) -> [String] {
        let place = "at 'pets[0]' in record Owner/o, field 'pets'"
        let tooDeep = "the value is nested more than 1 levels deep, at 'pets' in record Owner/o, field 'pets'"
        let tooMany = "the graph has more than 1 records, at 'pets' in record Owner/o, field 'pets'"
        var texts: [String]
        switch (pet, options) {
        case ("Animal/a", _): texts = [#"["Animal a"] dropped: []"#]
        case ("Cat/c", .cat), ("Cat/c", .omittingCat): texts = [#"["Cat c"] dropped: []"#]
        case ("Cat/c", .tomcat): texts = [#"["Tomcat c"] dropped: []"#]
        case ("Cat/c", _):
            texts = [
                "no registered type decodes record Cat/c as Animal, \(place)"
            ]
        case (_, .omitting), (_, .omittingCat):
            texts = ["[] dropped: [there is no record Animal/x, which is referred to \(place)]"]
        default: texts = ["there is no record Animal/x, which is referred to \(place)"]
        }
        if options == .shallow { texts = [tooDeep] }
        return [texts[0], options == .few ? tooMany : texts[0]]
    }

    @Test(arguments: Options.allCases, Options.allCases)
    func optionsOfACallEndWithIt(first: Options, second: Options) async throws {
        for pet in ["Cat/c", "Animal/a", "Animal/x"] {
            for options in [first, second, .none, second] {
                let found = try await outcome(options, pet)
                #expect(found == expected(options, pet))
            }
        }
    }
}
