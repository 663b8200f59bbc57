/// The state of one call of the encoder, and what is known from those before it about Swift types.
final class EncodingSession {
    @exclusivity(unchecked) var options: RecordEncoder

    /// The number of the call, by which the encoders of types know that a new one has begun.
    @exclusivity(unchecked) var call = 0

    /// The records in the order in which they were met; their fields come when they are done.
    @exclusivity(unchecked) var records = GrowingList<Record>()

    /// What else is known of each record.
    @exclusivity(unchecked) var states = GrowingList<RecordState>()

    /// The positions of the records in the order in which they were done: targets before those that point to them.
    @exclusivity(unchecked) var order = GrowingList<Int32>()

    /// Copies to compare with a record that is not done.
    @exclusivity(unchecked) var pending: [Int: [(fields: Record.Fields, path: [any CodingKey])]] = [:]

    @exclusivity(unchecked) var madeNames = MadeNames()

    @exclusivity(unchecked) var index = RecordIndex.empty
    @exclusivity(unchecked) var shapes = ShapeTree()

    /// Where values are flattened: the names of records by themselves, the layouts whose fields are known to be distinguishable, and
    /// the keys that fields belong to.
    @exclusivity(unchecked) var knownNames: [[String]: FieldNames] = [:]
    @exclusivity(unchecked) var validatedLayouts: Set<FlatShape> = []
    @exclusivity(unchecked) var fieldKeys: FieldKeyResolver

    /// Where keys are renamed: for each type of keys the key that each field belongs to.
    @exclusivity(unchecked) var claimedNames: [ObjectIdentifier: [String: String]] = [:]

    let recursion = DeepRecursion()
    @exclusivity(unchecked) var typeEncoders = TypeCache<AnyTypeEncoder>()

    /// The open levels, and behind them some that were used before and wait for the next value.
    ///
    /// Each is there as its encoder, which user code must not keep once its value is complete.
    @exclusivity(unchecked) var encoders = GrowingList<ValueEncoder>()

    /// The same levels without being held: counting references takes longer than all else that is done with them.
    @exclusivity(unchecked) var stack = GrowingList<OpenEncodingFrame>()

    /// The number of open levels, and the largest one of this call.
    @exclusivity(unchecked) var openFrames = 0
    @exclusivity(unchecked) var mostOpenFrames = 0

    /// Whether user code may hold an encoder or a container.
    @exclusivity(unchecked) var mayBeHeld = false

    /// The encoders of types that hold values of this call.
    @exclusivity(unchecked) var holders: [any CallScoped] = []

    /// The nested container or super encoder that is about to encode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: EncodingFrame?

    /// Whether embedded values are spread over the fields of their record.
    let flattens: Bool

    /// Whether types of keys are noted: for flattened values, or to check the names in lists of properties.
    @exclusivity(unchecked) var notesKeys: Bool

    /// The lists whose names are not all known to be coding keys, with the typeInfo of their types.
    @exclusivity(unchecked) private var uncheckedTypes: [RecordTypeInfo] = []

    /// What is to be done with the property that was encoded last.
    @exclusivity(unchecked) var outcome = EncodingOutcome.value

    /// The first thing that went wrong and must not be overlooked, even where a type ignores errors or where the
    /// protocol gives no way to throw.
    @exclusivity(unchecked) private(set) var failure: (any Error)?

    /// The ID of a conflict, and the coding path at which it was first encoded.
    var conflictID: Record.ID?
    var conflictPath: [any CodingKey]?

    init(encoder: RecordEncoder) {
        options = encoder
        flattens = encoder.embeddingStrategy != .map
        notesKeys = flattens
        fieldKeys = FieldKeyResolver(
            FieldNaming(keyStrategy: encoder.keyStrategy, separator: encoder.embeddingStrategy.separator))
    }

    func encode<Root: RecordEncodable>(roots: [Root]) throws -> RecordGraph {
        var hasEnded = false
        defer { if !hasEnded || !recycle() { invalidate() } }
        var ids: [Record.ID] = []
        for root in roots {
            guard case .reference(let reference) = try encode(root) else {
                let context = EncodingError.Context(codingPath: [], debugDescription: "the root became no record")
                throw EncodingError.invalidValue(root, context)
            }
            ids.append(reference.id)
        }
        if let failure { throw failure }
        try checkPropertyNames()
        hasEnded = true
        let mostKept = SessionLimits.records
        return RecordGraph(
            roots: ids, records: records.takeContiguous(keeping: mostKept), index: index,
            order: order.takeContiguous(keeping: mostKept))
    }

    /// What a value becomes: the funnel through which every value goes.
    @inline(__always)
    func encode<Value: Encodable>(_ value: Value) throws -> Record.Value {
        try typeEncoder(of: Value.self).encode(value, in: self)
    }

    @inline(__always)
    func typeEncoder<Value: Encodable>(of _: Value.Type) -> TypeEncoder<Value> {
        let encoder = typeEncoders.typeInfo(about: Value.self) { makeTypeEncoder(for: Value.self) }
        return unsafeDowncast(encoder, to: TypeEncoder<Value>.self)
    }

    /// Keeps the first failure.
    @discardableResult
    func fail(_ error: any Error) -> any Error {
        if let failure { return failure }
        failure = error
        return error
    }
}

// MARK: Lists of properties

extension EncodingSession {
    /// Has the names in a type's lists checked when the call ends.
    func checkPropertyNames(of typeInfo: RecordTypeInfo) throws {
        if let fault = typeInfo.listFault { throw fail(fault) }
        if typeInfo.names.areKnown { return }
        uncheckedTypes.append(typeInfo)
        notesKeys = true
    }

    private func checkPropertyNames() throws {
        for typeInfo in uncheckedTypes where typeInfo.names.mayBeFaulty {
            let fields = typeInfo.fieldNames(in: (0..<records.count).lazy.map { self.records[$0] })
            if let fault = typeInfo.names.fault(fields: fields, keys: claimedNames) { throw fault }
        }
        uncheckedTypes = []
        notesKeys = flattens
    }
}

/// What is to be done with an encoded property.
enum EncodingOutcome {
    /// It is stored in its field.
    case value
    /// It is known without a field of its own.
    case absent
    /// It is a map whose fields become fields of the record.
    case embedded
}
