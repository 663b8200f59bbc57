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

    /// How encoders store strings of location properties that differ from the description of their location; as strings
    /// by default.
    public var locationStrategy = LocationStrategy.exact

    /// Which kinds of fields decoders accept as Booleans, dates and decimal numbers; exact ones by default.
    public var scalarStrategy = ScalarStrategy.exact

    /// The policy of decoders for references whose records are missing; by default, decoding fails.
    public var danglingReferencePolicy = DanglingReferencePolicy.throw

    /// Whether encoders accept values that contain each other, as class instances can; false by default.
    ///
    /// Records that refer to each other in a cycle can be saved, but types that contain each other cannot decode them.
    /// A property of the type ``RecordLink`` ends a cycle. Use this option if the records are only written, or read by
    /// other types.
    public var allowsReferenceCycles = false

    /// The `userInfo` of the encoders and decoders that values see.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// The maximum nesting depth, counting records, embedded values and lists; 1,000 by default.
    ///
    /// A chain of 1,000 records is within the default, a chain of 1,001 is not. If each record is in a list of the
    /// previous one, the limit is a chain of 500. The limit also bounds the cost of encoding an endless structure. Deep
    /// values are encoded in separate threads, so that the stack does not overflow.
    ///
    /// Independently of this limit, a single field may contain at most 1,000 levels of nested values. Lines of typed
    /// JSON, the binary form and record files support the same depth. Foundation's JSON coders support 512, of which a
    /// record and its fields take two.
    public var maximumDepth = 1_000

    /// The maximum number of records that one decoding may fetch; 1,000,000 by default.
    ///
    /// All records of a decoding are in memory. The limit stops an unexpectedly large decoding before it uses up the
    /// memory.
    public var maximumRecords = 1_000_000

    /// The Swift types of records for properties whose type leaves them open.
    private(set) var recordTypes = RecordTypeRegistry()

    /// Whether a record that is a single value is read as that value instead of the field that contains it.
    package var unwrapsSingleValues = true

    /// Makes the default options.
    public init() {}

    /// Registers the subclasses of records for properties whose type is a superclass.
    ///
    /// ```swift
    /// var coding = RecordCoding()
    /// coding.register(Cat.self, Dog.self)
    /// let owner = try await RecordDecoder(coding).decode(Owner.self, named: "ada", in: database)  // owner.pets: [Animal]
    /// ```
    ///
    /// A registered type has the values of its ignored properties also where a record is read by its own `init(from:)`,
    /// as in `Book(from: container.superDecoder())`: a decoder has no information about the type that reads it.
    ///
    /// - Parameter types: The types, each for the records of its ``RecordRepresentable/recordType``. Of several types
    ///   for one record type, the first that fits the property is used.
    public mutating func register(_ types: any RecordDecodable.Type...) {
        for type in types { recordTypes.register(type) }
    }

    /// Registers the Swift type of records without a registered type.
    ///
    /// If one property refers to a record by its own type and another by a superclass, the record then becomes two
    /// values. Without a fallback such records are an error. Of several fallbacks, the first that fits the property is
    /// used.
    ///
    /// - Parameter type: The type. It reads records of every type.
    public mutating func register(fallback type: any RecordDecodable.Type) { recordTypes.register(fallback: type) }

    var fieldNaming: FieldNaming { FieldNaming(keyStrategy, embeddingStrategy) }
}

/// The policy for a reference whose record is missing.
public enum DanglingReferencePolicy: Sendable, Hashable {
    /// Decoding fails with `RecordError.Code.danglingReference`.
    case `throw`

    /// An optional becomes nil, and an element of an array, a set or a dictionary with string keys is left out.
    /// ``RecordDecoder/Resolution/dropped`` lists the references. Where a value is required, decoding fails.
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
