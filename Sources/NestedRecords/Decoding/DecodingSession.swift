/// The state of one attempt to decode from the records that are there.
final class DecodingSession {
    let options: RecordDecoder
    let records: ContiguousArray<Record>
    let index: RecordIndex

    /// Who fetches what is missing and learns which fields lead there; nil when nothing can be fetched.
    let learner: ReferenceLearner?

    /// How far each record is.
    @exclusivity(unchecked) var visits: ContiguousArray<RecordVisit>

    /// For each record the class instance that was made of it, from the first record of a class on.
    @exclusivity(unchecked) var instances: ContiguousArray<AnyObject?> = []

    @exclusivity(unchecked) var typeDecoders = TypeCache<AnyTypeDecoder>()
    @exclusivity(unchecked) private var slotTables = SlotTables()
    @exclusivity(unchecked) private var lastDecoderNumber: Int32 = 0

    /// The open levels.
    @exclusivity(unchecked) private var levels: ContiguousArray<DecodingLevel> = []

    /// Decoders that were used before and wait for the next value, by the number of levels below theirs.
    ///
    /// One that is
    /// in use belongs to who opened it, so that it can be told whether somebody else keeps it.
    @exclusivity(unchecked) private var decoders: ContiguousArray<ValueDecoder?> = []

    /// The number of open levels.
    @inline(__always)
    var openLevels: Int { levels.count }

    /// The nested container or super decoder that is about to decode a value: that value's parent.
    @exclusivity(unchecked) var nestedParent: DecodingLevel?

    /// Whether the error that is on its way out was given its place.
    @exclusivity(unchecked) private var isPlaced = false

    /// The references that were left out because their records are missing.
    private(set) var dropped: [DroppedReference] = []

    init(
        options: RecordDecoder, records: ContiguousArray<Record>, index: RecordIndex, learner: ReferenceLearner? = nil
    ) {
        self.options = options
        self.records = records
        self.index = index
        self.learner = learner
        visits = ContiguousArray(repeating: RecordVisit(), count: records.count)
    }

    func decode<Root: RecordDecodable>(_: Root.Type, roots: [Record.ID]) throws -> [Root] {
        // The levels hold the session.
        defer {
            levels.removeAll()
            decoders.removeAll()
        }
        let decoder = decoder(of: Root.self)
        return try roots.map { try decoder.decode(.reference(Record.Reference(to: $0)), in: self) }
    }

    /// How a type is decoded: the funnel through which every value goes.
    @inline(__always)
    func decoder<Value: Decodable>(of type: Value.Type) -> TypeDecoder<Value> {
        let decoder = typeDecoders.facts(about: Value.self) { makeTypeDecoder(for: Value.self) }
        return unsafeDowncast(decoder, to: TypeDecoder<Value>.self)
    }

    func slotTable<Key: CodingKey>(for type: Key.Type, _ facts: RecordFacts?, _ names: [String]) -> SlotTable? {
        slotTables.table(for: type, facts, names)
    }

    /// A number for each type of records.
    func makeDecoderNumber(isClass: Bool) -> Int32 {
        if isClass, instances.isEmpty { instances = ContiguousArray(repeating: nil, count: records.count) }
        lastDecoderNumber += 1
        return lastDecoderNumber
    }
}

/// How far a record is, for the Swift type that it was first decoded as.
struct RecordVisit {
    /// The number of that type's decoder, 0 for none.
    var decoder: Int32 = 0
    var isOpen = false
}

// MARK: Levels

extension DecodingSession {
    /// Opens a level for a value that stands in the innermost open one.
    @inline(__always)
    func open(
        _ source: DecodingLevel.Source, record: Int = -1, _ facts: RecordFacts? = nil
    ) throws -> ValueDecoder {
        let decoder = takeDecoder()
        decoder.level.reopen(in: innermostLevel, source, record: record, facts)
        if nestedParent != nil { nestedParent = nil }
        isPlaced = false
        guard decoder.level.depth <= options.maximumDepth else {
            throw RecordError.depthLimitExceeded(options.maximumDepth, place: decoder.level.place())
        }
        levels.append(decoder.level)
        return decoder
    }

    @inline(__always)
    private func takeDecoder() -> ValueDecoder {
        if levels.count == decoders.count { decoders.append(nil) }
        var decoder: ValueDecoder?
        swap(&decoder, &decoders[levels.count])
        return decoder ?? ValueDecoder(level: DecodingLevel(session: self))
    }

    /// Closes the innermost level.
    ///
    /// - Parameter decoder: The level's decoder. If somebody else keeps it or a container, it is left to them.
    @inline(__always)
    func close(_ decoder: inout ValueDecoder) {
        levels.removeLast()
        if isKnownUniquelyReferenced(&decoder), decoder.isContainerFree { decoders[levels.count] = decoder }
    }

    /// The level in which the next value stands.
    @inline(__always)
    var innermostLevel: DecodingLevel? {
        nestedParent ?? levels.last
    }
}

// MARK: References

extension DecodingSession {
    /// Whether a value points to a missing record and the options say to leave it out; if so, that is noted.
    func drops(_ value: Record.Value) -> Bool {
        guard options.danglingReferences == .omit, case .reference(let reference) = value,
            learner?.wasRequested(reference.id) ?? true,
            index.position(of: reference.id, in: records) == nil
        else { return false }
        dropped.append(DroppedReference(target: reference.id, place: placeOfNextValue))
        return true
    }

    /// The error for a reference whose record is not there, or not yet.
    func missing(_ reference: Record.Reference) -> any Error {
        guard let learner, !learner.wasRequested(reference.id) else {
            guard let level = innermostLevel else { return RecordError.recordNotFound(reference.id) }
            return RecordError.danglingReference(to: reference.id, place: level.place(of: level.currentKey))
        }
        let place = placeOfNextValue
        let field = place.field.map(options.keyStrategy.fieldName(for:)) ?? RecordFacts.singleValueField
        learner.want(reference, inField: field, at: place)
        return UnfetchedRecord()
    }

    /// Tells the learner which of a record's fields a type has keys for.
    func learnKeys<Key: CodingKey>(_: Key.Type, _ facts: RecordFacts, _ level: DecodingLevel) {
        facts.seenKeys = ObjectIdentifier(Key.self)
        guard let learner, let type = level.recordID?.type else { return }
        let strategy = options.keyStrategy
        let ignored = facts.ignored
        learner.learn(
            KeyTest(keyType: ObjectIdentifier(Key.self), ignored: ignored) { field in
                guard let key = strategy.key(Key.self, forField: field) else { return false }
                return !ignored.contains(key.stringValue)
            }, of: type)
    }

    /// Tells the learner that a type reads a field of its record.
    func learn(_ field: String, of id: Record.ID?, includingLinks: Bool) {
        guard let learner, let type = id?.type else { return }
        learner.learn(field, of: type, includingLinks: includingLinks)
    }

    var placeOfNextValue: RecordPlace {
        innermostLevel.map { $0.place(of: $0.currentKey) } ?? RecordPlace()
    }
}

/// Ends an attempt to decode at a record that has not been fetched yet.
struct UnfetchedRecord: Error {}

// MARK: Errors

extension DecodingSession {
    /// The error for a value of the wrong kind.
    ///
    /// - Parameters:
    ///   - type: What is wanted.
    ///   - value: What is there.
    ///   - level: The level where it is; nil if the value stands in the innermost level.
    ///   - key: The key of the value in the level.
    func mismatch(
        _ type: Any.Type, _ value: Record.Value, in level: DecodingLevel? = nil, _ key: (any CodingKey)? = nil
    ) -> any Error {
        let key = level == nil ? innermostLevel?.currentKey : key
        let level = level ?? innermostLevel
        let path = (level?.codingPath ?? []) + (key.map { [$0] } ?? [])
        let error: DecodingError
        switch value {
        case .null:
            error = .valueNotFound(type, .init(codingPath: path, debugDescription: "\(type) is wanted, found null"))
        case .int, .double, .string:
            let reason = "\(type) is wanted, found \(value.kind): \(value.excerpt)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        case .bool, .date, .bytes, .location, .reference, .list, .map:
            let reason = "\(type) is wanted, found \(value.kind)"
            error = .typeMismatch(type, .init(codingPath: path, debugDescription: reason))
        }
        guard let level else { return error }
        return placedAnew(error, level)
    }

    /// Gives an error that was just made its place.
    func placedAnew(_ error: any Error, _ level: DecodingLevel) -> any Error {
        isPlaced = false
        return placed(error, level)
    }

    /// Gives an error its place, at the innermost level that it passes.
    func placed(_ error: any Error, _ level: DecodingLevel) -> any Error {
        if isPlaced || error is RecordError || error is UnfetchedRecord || error is CancellationError { return error }
        isPlaced = true
        let place = level.place(of: level.currentKey)
        let suffix = place.recordSuffix
        func context(_ old: DecodingError.Context) -> DecodingError.Context {
            .init(
                codingPath: old.codingPath, debugDescription: old.debugDescription + suffix,
                underlyingError: old.underlyingError)
        }
        switch error {
        case DecodingError.typeMismatch(let type, let old): return DecodingError.typeMismatch(type, context(old))
        case DecodingError.valueNotFound(let type, let old): return DecodingError.valueNotFound(type, context(old))
        case DecodingError.keyNotFound(let key, let old): return DecodingError.keyNotFound(key, context(old))
        case DecodingError.dataCorrupted(let old): return DecodingError.dataCorrupted(context(old))
        default:
            return DecodingError.dataCorrupted(
                .init(
                    codingPath: place.codingPath, debugDescription: "decoding failed: \(error)\(suffix)",
                    underlyingError: error))
        }
    }
}

extension Record.Value {
    /// The beginning of a number's or text's content, for errors.
    fileprivate var excerpt: String {
        switch self {
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.count > 40 ? "'\(value.prefix(40))…'" : "'\(value)'"
        case .null, .bool, .date, .bytes, .location, .reference, .list, .map: ""
        }
    }
}
