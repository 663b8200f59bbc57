/// Rebuilds nested values from flat records.
///
/// ```swift
/// let school = try await RecordDecoder().decode(School.self, named: "hogwarts", in: database)
/// ```
///
/// Decoding from a database has two steps. First the records are fetched, level by level: one call for all records
/// that the level before refers to, each record once, and only those that the Swift types read. Then the value is
/// decoded in memory. Which references a type reads is found from its stored properties and coding keys when its first
/// record is fetched. Where these do not show it, it is learned while the type is decoded for the first time, which may take extra
/// fetches and passes; every later decoding takes one pass and one call per level.
/// With a custom key strategy, or with flattened values, what was learned belongs to the decoder and its copies.
///
/// A record that occurs several times is decoded once: a class comes back as one shared instance.
public struct RecordDecoder: Sendable {
    /// How property names become field names; the same as when the records were encoded.
    public var keyStrategy: KeyStrategy = .unchanged {
        didSet { memory = FetchPlanCache.memory(for: keyStrategy, embeddingStrategy) }
    }

    /// How embedded values are stored; the same as when the records were encoded.
    public var embeddingStrategy = EmbeddingStrategy.map {
        didSet { memory = FetchPlanCache.memory(for: keyStrategy, embeddingStrategy) }
    }

    /// Which kinds of fields are taken for Booleans, dates and decimal numbers; their own alone by default.
    public var scalarStrategy = ScalarStrategy.exact

    /// The Swift types of records where the type of a property leaves that open.
    var recordTypes = RecordTypeRegistry()

    /// What to hand to the `userInfo` of the decoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The maximum nesting depth, counting records, embedded values and lists; 1,000 by default.
    public var maximumDepth = 1_000

    /// How many records one decoding may fetch; 1,000,000 by default.
    ///
    /// The records of a decoding are all in memory, so a value that leads to more than was thought of should be an error
    /// before the memory is used up.
    public var maximumRecords = 1_000_000

    /// What to do with references whose records are missing.
    public var danglingReferencePolicy = DanglingReferencePolicy.throw

    /// Whether a record that is a single value is read as that value, and not as the field that contains it.
    package var unwrapsSingleValues = true

    var memory = FetchPlanCache.memory(for: .unchanged, .map)

    /// Makes a decoder with the default options.
    public init() {}

    var fieldNaming: FieldNaming { FieldNaming(keyStrategy, embeddingStrategy) }
}

/// What to do with a reference whose record is missing.
public enum DanglingReferencePolicy: Sendable, Hashable {
    /// Decoding fails with ``RecordError/danglingReference(to:context:)``.
    case `throw`

    /// An optional becomes nil, and an element of an array, a set or a dictionary with string keys is left out.
    /// ``RecordDecoder/Resolution/dropped`` reports what was left out. Where a value is required, decoding fails.
    case omit
}

extension RecordDecoder: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordDecoder(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "scalarStrategy: \(scalarStrategy), maximumDepth: \(maximumDepth), "
            + "maximumRecords: \(maximumRecords == .max ? "unlimited" : "\(maximumRecords)"), "
            + "danglingReferencePolicy: \(danglingReferencePolicy))"
    }
}

extension RecordDecoder: ChildlessReflectable {}

extension RecordEncoder {
    /// Makes an encoder whose records a decoder reads back.
    ///
    /// - Parameter decoder: The decoder; its strategies, information and depth limit are taken over.
    public init(matching decoder: RecordDecoder) {
        self.init()
        keyStrategy = decoder.keyStrategy
        embeddingStrategy = decoder.embeddingStrategy
        userInfo = decoder.userInfo
        maximumDepth = decoder.maximumDepth
    }
}

extension RecordDecoder {
    /// Encodes the value of an ignored property as this decoder reads it from a field.
    func encode(fieldValue value: some Encodable) throws -> Record.Value {
        if let scalar = value as? any FieldScalar { return scalar.fieldValue }
        var encoder = RecordEncoder(matching: self)
        // The value is read from a single field.
        encoder.embeddingStrategy = .map
        return try EncodingCall.encode(field: value, encoder)
    }
}
