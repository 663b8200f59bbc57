/// How values become records and records become values: the options that encoders and decoders share.
///
/// ```swift
/// var coding = RecordCoding()
/// coding.keyStrategy = .snakeCase
/// let graph = try RecordEncoder(coding).encode(school)
/// let copy = try RecordDecoder(coding).decode(School.self, from: graph)
/// ```
public struct RecordCoding: Sendable {
    /// How property names become field names; unchanged by default.
    public var keyStrategy: KeyStrategy = .unchanged

    /// How embedded values are stored; as maps by default.
    public var embeddingStrategy = EmbeddingStrategy.map

    /// Whether decoders read the integers 0 and 1 also as `Bool`, a string with date, time and time zone as `Date`, and
    /// the digits of a number in a string as `Decimal`; false by default.
    ///
    /// For databases without Booleans, dates or decimal numbers. A type that tries several types in turn, such as a type
    /// for any JSON value, may then find a type that was not written.
    public var convertsScalars = false

    /// Whether decoders leave out references whose records are missing; by default, decoding fails with
    /// `RecordError.Code.danglingReference`.
    ///
    /// An optional becomes nil, and an element of an array, a set or a dictionary with string keys is left out.
    /// ``RecordDecoder/Resolution/dropped`` lists the references. Where a value is required, decoding fails.
    public var omitsDanglingReferences = false

    /// Whether the saves of a store require that the targets of links exist; false by default.
    ///
    /// A save then fetches the targets of new links, and throws ``RecordError`` with the code `missingLinkTarget` if one
    /// does not exist when the save is committed. The targets count as records of ``RecordDatabase/limits``.
    public var requiresLinkTargets = false

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
    /// If each record is in a list of the previous one, the default allows a chain of 500. The limit also bounds the cost
    /// of encoding an endless structure. Deep values are encoded in separate threads, so that the stack does not overflow.
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

    /// The Swift types of records for properties whose type leaves them open; nil if none is registered.
    private(set) var recordTypes: RecordTypeRegistry?

    package var unwrapsSingleValues = true

    /// Makes the default options.
    public init() {}

    /// Registers the subclasses of records for properties whose type is a superclass.
    ///
    /// ```swift
    /// var coding = RecordCoding()
    /// coding.register(Cat.self, Dog.self)
    /// let store = RecordStore(database, coding: coding)
    /// let owner = try await store.fetch(Owner.self, named: "ada")  // owner.pets: [Animal]
    /// ```
    ///
    /// A registered type has the values of its ignored properties also where a record is read by its own `init(from:)`,
    /// as in `Book(from: container.superDecoder())`: a decoder has no information about the type that reads it.
    ///
    /// - Parameter types: The types, each for the records of its ``RecordRepresentable/recordType``. Of several types
    ///   for one record type, the first that fits the property is used.
    public mutating func register(_ types: any RecordDecodable.Type...) {
        for type in types { recordTypes = (recordTypes ?? RecordTypeRegistry()).registering(type) }
    }

    /// Registers the Swift type of records without a registered type.
    ///
    /// If one property refers to a record by its own type and another by a superclass, the record then becomes two
    /// values. Without a fallback such records are an error. Of several fallbacks, the first that fits the property is
    /// used.
    ///
    /// - Parameter type: The type. It reads records of every type.
    public mutating func register(fallback type: any RecordDecodable.Type) {
        recordTypes = (recordTypes ?? RecordTypeRegistry()).registering(fallback: type)
    }

    var fieldNaming: FieldNaming { FieldNaming(keyStrategy, embeddingStrategy) }
}

extension RecordCoding: CustomStringConvertible {
    /// The options in one line.
    public var description: String {
        "RecordCoding(keyStrategy: \(keyStrategy), embeddingStrategy: \(embeddingStrategy), "
            + "convertsScalars: \(convertsScalars), maximumDepth: \(maximumDepth), "
            + "maximumRecords: \(maximumRecords == .max ? "unlimited" : "\(maximumRecords)"), "
            + "omitsDanglingReferences: \(omitsDanglingReferences))"
    }
}

extension RecordCoding: ChildlessReflectable {}
