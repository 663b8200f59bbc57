/// How values become records and records become values: the options that encoders and decoders share.
///
/// ```swift
/// var coding = RecordCoding()
/// coding.keyStrategy = .convertToSnakeCase
/// let graph = try RecordEncoder(coding).encode(school)
/// let copy = try RecordDecoder(coding).decode(School.self, from: graph)
/// ```
public struct RecordCoding: Sendable {
    /// How property names become field names; unchanged by default.
    public var keyStrategy: KeyStrategy = .unchanged

    /// How embedded values are stored; as maps by default.
    public var embeddingStrategy = EmbeddingStrategy.map

    /// How encoders store strings of location properties that are not written as locations are; as strings by default.
    public var locationStrategy = LocationStrategy.exact

    /// Which kinds of fields decoders read as Booleans, dates and decimal numbers; their own alone by default.
    public var scalarStrategy = ScalarStrategy.exact

    /// What decoders do with references whose records are missing.
    public var danglingReferencePolicy = DanglingReferencePolicy.throw

    /// Whether encoders accept values that contain each other, as instances of classes can; not by default.
    ///
    /// Records that refer to each other in a cycle can be saved, but not be decoded by types that contain each other.
    /// A property of the type ``RecordLink`` ends a cycle. Use this where the records are only written, or read by other
    /// types.
    public var allowsReferenceCycles = false

    /// What to hand to the `userInfo` of the encoders and decoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The maximum nesting depth, counting records, embedded values and lists; 1,000 by default.
    ///
    /// A chain of 1,000 records is within the default, a chain of 1,001 is not. If each record is in a list of the one
    /// before, the limit is a chain of 500. The limit also bounds the cost of encoding an endless structure. Deep values are
    /// encoded in threads of their own, so that the stack does not overflow.
    ///
    /// In one field no more than 1,000 values may be nested, whatever the limit. Lines of typed JSON, the binary form and
    /// record files take as many. Foundation's JSON coders take 512, of which a record and its fields are two.
    public var maximumDepth = 1_000

    /// How many records one decoding may fetch; 1,000,000 by default.
    ///
    /// The records of a decoding are all in memory. The limit ends a decoding of more than was expected before the memory
    /// is used up.
    public var maximumRecords = 1_000_000

    /// The Swift types of records where the type of a property leaves that open.
    private(set) var recordTypes = RecordTypeRegistry()

    /// Whether a record that is a single value is read as that value, and not as the field that contains it.
    package var unwrapsSingleValues = true

    /// Makes the default options.
    public init() {}

    /// Registers the subclasses of records where the type of a property is a superclass.
    ///
    /// ```swift
    /// var coding = RecordCoding()
    /// coding.register(Cat.self, Dog.self)
    /// let owner = try await RecordDecoder(coding).decode(Owner.self, named: "ada", in: database)  // owner.pets: [Animal]
    /// ```
    ///
    /// A registered type has the values of its ignored properties also where a record is read by its own `init(from:)`, as
    /// in `Book(from: container.superDecoder())`: a decoder is not told which type reads it.
    ///
    /// - Parameter types: The types, each for the records of its ``RecordRepresentable/recordType``. Of several types
    ///   for one record type the first that fits the property is taken.
    public mutating func register(_ types: any RecordDecodable.Type...) {
        for type in types { recordTypes.register(type) }
    }

    /// Registers the Swift type of records whose type is not registered.
    ///
    /// A record that a property names by its own type and another property by a superclass becomes two values then.
    /// Without such a type they are an error. Of several ones the first that fits the property is taken.
    ///
    /// - Parameter type: The type. It reads records of every type.
    public mutating func register(fallback type: any RecordDecodable.Type) { recordTypes.register(fallback: type) }

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

extension RecordCoding: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordCoding(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "scalarStrategy: \(scalarStrategy), maximumDepth: \(maximumDepth), "
            + "maximumRecords: \(maximumRecords == .max ? "unlimited" : "\(maximumRecords)"), "
            + "danglingReferencePolicy: \(danglingReferencePolicy))"
    }
}

extension RecordCoding: ChildlessReflectable {}
