extension DecodingSession {
    /// The position of the record with this ID, whose type is that of the typeInfo unless they leave it open.
    @inline(__always)
    func position(of id: Record.ID, _ typeInfo: RecordTypeInfo) -> Int? {
        if typeInfo.isDynamic || id.type != typeInfo.type { return index.position(of: id, in: records) }
        return index.find(RecordIndex.hash(ofType: typeInfo.typeHash, name: id.name)) { position in
            let found = record(at: position)
            return found.pointee.id.name.hasSameBytes(as: id.name) && found.pointee.id.type == id.type
        }
    }

    /// Whether a value points to a missing record and the options say to leave it out; if so, that is noted.
    func drops(_ value: Record.Value) -> Bool {
        guard case .reference(let reference) = value,
            planner?.wasRequested(reference.id) ?? true,
            index.position(of: reference.id, in: records) == nil
        else { return false }
        let place = placeOfNextValue
        // A struct that occurs twice is decoded twice.
        if droppedSteps.insert(DroppedStep(target: reference.id, step: place.chain.last)).inserted {
            dropped.append(DanglingReference(target: reference.id, context: place))
        }
        return true
    }

    /// The error for a reference whose record is not there, or not yet.
    func missing(_ reference: Record.Reference) -> any Error {
        guard let frame = innermostFrame else { return RecordError.recordNotFound(reference.id) }
        let place = frame.place(of: frame.currentKey)
        guard let planner, !planner.wasRequested(reference.id) else {
            return RecordError.danglingReference(to: reference.id, context: place)
        }
        // What cannot be decoded need not be fetched: a database may have no end.
        guard frame.depth < options.maximumDepth else {
            dependedDepth = 0
            return RecordError.depthLimitExceeded(options.maximumDepth, context: place)
        }
        planner.want(reference, at: place, field: frame.recordField(of: frame.currentKey))
        return UnfetchedRecord()
    }

    /// Reports to the planner which fields of a record a type has keys for.
    func learnKeys<Key: CodingKey>(_: Key.Type, _ typeInfo: RecordTypeInfo, _ frame: DecodingFrame) {
        typeInfo.names.note(Key.self, options.fieldNaming)
        guard let planner, let type = frame.recordID?.type else {
            typeInfo.seenKeys = ObjectIdentifier(Key.self)
            return
        }
        // A type that decodes records of several types is asked for each of them.
        if type == typeInfo.type { typeInfo.seenKeys = ObjectIdentifier(Key.self) }
        if frame.hasData(as: Key.self) { return learnAllFields(of: frame.recordID) }
        let naming = options.fieldNaming
        let ignored = typeInfo.ignored
        planner.learn(
            KeyTest(keyType: ObjectIdentifier(Key.self), ignored: ignored) { field in
                guard let key = naming.key(Key.self, forField: field) else { return false }
                return !ignored.contains(key.stringValue)
            }, of: type)
    }

    /// Decodes a value whose references are read as such, and reports to the planner that they are not followed.
    func decodeUnfollowed<Scalar: FieldScalar>(_ value: Record.Value) throws -> Scalar {
        // Only where it is the whole field, or an element of it: other types may follow what is next to it.
        if let planner, value.mayHoldReferences, let frame = innermostFrame, !frame.isReadAsAWhole,
            let owner = frame.isList ? frame.parent : frame, owner.recordID != nil || owner.isFlat,
            let (type, field) = frame.recordField(of: frame.currentKey)
        {
            planner.learnUnfollowed(field, of: type)
        }
        if let scalar = Scalar.read(value) { return scalar }
        throw mismatch(Scalar.self, value)
    }

    /// Reports to the planner that a type may read every field of its record.
    func learnAllFields(of id: Record.ID?) {
        guard let planner, let type = id?.type else { return }
        planner.learn(KeyTest(keyType: ObjectIdentifier(Record.self), ignored: []) { _ in true }, of: type)
    }

    /// Reports to the planner that a type reads a field of its record.
    func learn(_ field: String, of id: Record.ID?, includingLinks: Bool) {
        guard let planner, let type = id?.type else { return }
        planner.learn(field, of: type, includingLinks: includingLinks)
    }

    var placeOfNextValue: RecordContext {
        innermostFrame.map { $0.place(of: $0.currentKey) } ?? RecordContext()
    }
}

/// What identifies a dropped reference.
struct DroppedStep: Hashable {
    let target: Record.ID
    let step: RecordContext.Step?
}

/// Ends an attempt to decode at a record that has not been fetched yet.
struct UnfetchedRecord: Error {}
