/// The state of one attempt to decode from the records that are there, and what is known from those before it about
/// Swift types.
final class DecodingSession {
    @exclusivity(unchecked) var options: RecordDecoder
    @exclusivity(unchecked) var records: ContiguousArray<Record> = [] {
        didSet { firstRecord = records.withUnsafeBufferPointer { $0.baseAddress } }
    }

    /// The address of the first record; the records do not change during an attempt.
    @exclusivity(unchecked) private var firstRecord: UnsafePointer<Record>?
    @exclusivity(unchecked) var index = RecordIndex.empty

    /// What plans further fetches and learns which fields need them; nil where nothing can be fetched.
    @exclusivity(unchecked) var planner: FetchPlanner?

    /// The number of the attempt, by which the decoders of types know that a new one has begun.
    @exclusivity(unchecked) var attempt = 0

    /// Whether embedded values may be spread over the fields of their record.
    let flattens: Bool

    /// The keys that fields belong to, where values are flattened.
    @exclusivity(unchecked) var fieldKeys: FieldKeyResolver

    /// Whether the value that is decoded next is made of such fields.
    @exclusivity(unchecked) var isNextFlat = false

    /// Whether references whose records are missing may be left out.
    @exclusivity(unchecked) var omitsDangling = false

    /// How far each record is.
    @exclusivity(unchecked) var visits = GrowingList<RecordVisit>()

    /// For each record the class instance that was made of it, from the first record of a class on.
    @exclusivity(unchecked) var instances = GrowingList<AnyObject?>()

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeDecoders = TypeCache<AnyTypeDecoder>()
    @exclusivity(unchecked) var slotTables = SlotTables()
    @exclusivity(unchecked) var lastDecoderNumber: Int32 = 0

    /// The lists of properties whose names are not all known to be coding keys, with the typeInfo of their types.
    @exclusivity(unchecked) private var uncheckedTypes: [RecordTypeInfo] = []

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its decoder, which user code must not keep once its value is complete.
    @exclusivity(unchecked) var decoders = GrowingList<ValueDecoder>()

    /// The same levels without being held.
    @exclusivity(unchecked) var stack = GrowingList<OpenDecodingFrame>()

    /// Whether the call has returned: user code may still use a decoder, but nothing is kept for reuse.
    var isOver = false

    /// The number of open levels, and the largest one of this attempt.
    @exclusivity(unchecked) var openFrames = 0
    @exclusivity(unchecked) var mostOpenFrames = 0

    /// Whether user code may hold a decoder or a container.
    @exclusivity(unchecked) var mayBeHeld = false

    /// The decoders of types that hold values of this attempt.
    @exclusivity(unchecked) var holders: [any CallScoped] = []

    /// The nested container or super decoder that is about to decode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: DecodingFrame?

    /// The descriptions of the errors that were given their places.
    @exclusivity(unchecked) var placedDescriptions: Set<String> = []

    /// The depth of the outermost open record without which an error would not have come, if there was such an error.
    @exclusivity(unchecked) var dependedDepth = Int.max

    var droppedSteps: Set<DroppedStep> = []

    /// The references that were left out because their records are missing.
    var dropped: [DanglingReference] = []

    init(options: RecordDecoder) {
        self.options = options
        flattens = options.embeddingStrategy != .map
        fieldKeys = FieldKeyResolver(options.fieldNaming)
    }

    func decode<Root: RecordDecodable>(_ type: Root.Type, roots: [Record.ID]) throws -> [Root] {
        try roots.map { try decode(type, root: $0) }
    }

    func decode<Root: RecordDecodable>(_: Root.Type, root: Record.ID) throws -> Root {
        try decoder(of: Root.self).decode(.reference(Record.Reference(to: root)), in: self)
    }

    /// How a type is decoded: the funnel through which every value goes.
    @inline(__always)
    func decoder<Value: Decodable>(of type: Value.Type) -> TypeDecoder<Value> {
        let decoder = typeDecoders.typeInfo(about: Value.self) { makeTypeDecoder(for: Value.self) }
        return unsafeDowncast(decoder, to: TypeDecoder<Value>.self)
    }

    func slotTable(for origin: SlotOrigin, names: () -> FieldNames?) -> SlotTable? {
        slotTables.table(for: origin, names: names)
    }

    /// The record at a position, which stays where it is during an attempt.
    @inline(__always)
    func record(at position: Int) -> UnsafePointer<Record> {
        guard position >= 0, position < records.count, let firstRecord else {
            preconditionFailure("position out of range")
        }
        return firstRecord + position
    }

    /// A number for each type of records.
    func makeDecoderNumber(isClass: Bool) -> Int32 {
        if isClass, instances.isEmpty { instances.append(nil, count: records.count) }
        lastDecoderNumber += 1
        return lastDecoderNumber
    }
}

// MARK: Lists of properties

extension DecodingSession {
    /// Makes the values of ignored properties ready, and has the names in a type's lists checked when the attempt ends.
    func checkPropertyNames(of typeInfo: RecordTypeInfo) throws {
        if let fault = typeInfo.listFault { throw fault }
        try typeInfo.prepareDefaults { [options] in try options.encode(fieldValue: $0) }
        if !typeInfo.names.areKnown { uncheckedTypes.append(typeInfo) }
    }

    /// Ends an attempt that has decoded everything.
    func checkPropertyNames() throws {
        for typeInfo in uncheckedTypes where typeInfo.names.mayBeFaulty {
            if let fault = typeInfo.names.fault(fields: typeInfo.fieldNames(in: records)) { throw fault }
        }
        uncheckedTypes = []
    }
}

/// How far a record is, for the Swift type that it was first decoded as.
struct RecordVisit {
    /// The number of that type's decoder, 0 for none.
    var decoder: Int32 = 0
    var isOpen = false

    /// Whether decoding was tried and failed.
    var wasTried = false

    /// Whether a type decoded the record, or tried to.
    var isReached: Bool { decoder != 0 || wasTried }
}
