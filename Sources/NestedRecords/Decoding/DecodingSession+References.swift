extension DecodingSession {
    /// The position of the record with this ID, whose type is that of the facts unless they leave it open.
    @inline(__always)
    func position(of id: Record.ID, _ facts: RecordFacts) -> Int? {
        if facts.isDynamic || id.type != facts.type { return index.position(of: id, in: records) }
        return index.find(RecordIndex.hash(ofType: facts.typeHash, name: id.name)) { position in
            let found = record(at: position)
            return found.pointee.id.name.hasSameBytes(as: id.name) && found.pointee.id.type == id.type
        }
    }

    /// Whether a value points to a missing record and the options say to leave it out; if so, that is noted.
    func drops(_ value: Record.Value) -> Bool {
        guard case .reference(let reference) = value,
            learner?.wasRequested(reference.id) ?? true,
            index.position(of: reference.id, in: records) == nil
        else { return false }
        let place = placeOfNextValue
        // A struct that stands in two places is decoded twice.
        if droppedSteps.insert(DroppedStep(target: reference.id, step: place.chain.last)).inserted {
            dropped.append(DanglingReference(target: reference.id, place: place))
        }
        return true
    }

    /// The error for a reference whose record is not there, or not yet.
    func missing(_ reference: Record.Reference) -> any Error {
        guard let level = innermostLevel else { return RecordError.recordNotFound(reference.id) }
        let place = level.place(of: level.currentKey)
        guard let learner, !learner.wasRequested(reference.id) else {
            return RecordError.danglingReference(to: reference.id, place: place)
        }
        // What cannot be decoded need not be fetched: a database may have no end.
        guard level.depth < options.maximumDepth else {
            dependedDepth = 0
            return RecordError.depthLimitExceeded(options.maximumDepth, place: place)
        }
        learner.want(reference, at: place, field: level.recordField(of: level.currentKey))
        return UnfetchedRecord()
    }

    /// Tells the learner which of a record's fields a type has keys for.
    func learnKeys<Key: CodingKey>(_: Key.Type, _ facts: RecordFacts, _ level: DecodingLevel) {
        facts.names.note(Key.self, options.fieldNaming)
        guard let learner, let type = level.recordID?.type else {
            facts.seenKeys = ObjectIdentifier(Key.self)
            return
        }
        // A type that stands for records of several types is asked for each of them.
        if type == facts.type { facts.seenKeys = ObjectIdentifier(Key.self) }
        if level.hasData(as: Key.self) { return learnAllFields(of: level.recordID) }
        let naming = options.fieldNaming
        let ignored = facts.ignored
        learner.learn(
            KeyTest(keyType: ObjectIdentifier(Key.self), ignored: ignored) { field in
                guard let key = naming.key(Key.self, forField: field) else { return false }
                return !ignored.contains(key.stringValue)
            }, of: type)
    }

    /// Decodes a value whose references are read as such, and tells the learner that they are not followed.
    func decodeUnfollowed<Scalar: FieldScalar>(_ value: Record.Value) throws -> Scalar {
        // Only where it is the whole field, or an element of it: others may follow what stands beside it.
        if let learner, value.mayHoldReferences, let level = innermostLevel, !level.isReadAsAWhole,
            let owner = level.isList ? level.parent : level, owner.recordID != nil || owner.isFlat,
            let (type, field) = level.recordField(of: level.currentKey)
        {
            learner.learnUnfollowed(field, of: type)
        }
        if let scalar = Scalar.read(value) { return scalar }
        throw mismatch(Scalar.self, value)
    }

    /// Tells the learner that a type may read every field of its record.
    func learnAllFields(of id: Record.ID?) {
        guard let learner, let type = id?.type else { return }
        learner.learn(KeyTest(keyType: ObjectIdentifier(Record.self), ignored: []) { _ in true }, of: type)
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

/// What tells a dropped reference from others.
struct DroppedStep: Hashable {
    let target: Record.ID
    let step: RecordPlace.Step?
}

/// Ends an attempt to decode at a record that has not been fetched yet.
struct UnfetchedRecord: Error {}
