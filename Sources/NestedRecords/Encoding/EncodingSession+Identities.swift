#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The records whose names were made in this call.
struct MadeNames {
    var positions: Set<Int> = []

    /// The positions of class instances, which the session holds.
    var instances: [ObjectIdentifier: Int] = [:]
}

extension EncodingSession {
    /// The record with this identity: its position, and whether it was not met before.
    @inline(__always)
    func reserve(_ value: some RecordRepresentable, _ typeInfo: RecordTypeInfo) throws -> (position: Int, isNew: Bool) {
        let name = value.recordName
        let type = typeInfo.recordType(of: value)
        let typeHash = typeInfo.isDynamic ? RecordIndex.hash(ofType: type) : typeInfo.typeHash
        let (hash, isPlain) = name.foldPlainBytes(into: typeHash)
        let found = index.find(hash) { position in
            records[position].id.name.hasSameBytes(as: name) && records[position].id.type.hasSameBytes(as: type)
        }
        if let found { return (found, false) }
        if !isPlain || typeInfo.isSuspicious {
            if name.isEmpty, let reserved = try reserveNameless(value, type, typeHash, typeInfo) { return reserved }
            try validate(type: type, name: name)
        }
        return (append(value, type, name, hash, typeInfo), true)
    }

    @inline(__always)
    private func append(
        _ value: some RecordRepresentable, _ type: String, _ name: String, _ hash: UInt64, _ typeInfo: RecordTypeInfo
    ) -> Int {
        let position = records.count
        index.insert(hash, at: position)
        records.append(Record(id: Record.ID(checkedType: type, name: name), checkedFields: Record.Fields()))
        states.append(RecordState(instance: typeInfo.isClass ? instance(value) : nil))
        if conflictID != nil { noteIfConflicting(position) }
        return position
    }

    /// Makes a name for a value whose property with ``RecordName`` is nil; an instance that was met before has its name.
    ///
    /// - Returns: The record's position, and whether it is new; nil if the value is not to get a name.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)`` if the value has no name and cannot get one.
    @inline(never)
    private func reserveNameless(
        _ value: some RecordRepresentable, _ type: String, _ typeHash: UInt64, _ typeInfo: RecordTypeInfo
    ) throws -> (position: Int, isNew: Bool)? {
        guard let property = (value as? any Encodable).flatMap(RecordNameSearch.init) else {
            throw invalidID(type, "", "'recordName' is empty, and no property is marked with @RecordName")
        }
        guard property.name == nil else { return nil }
        let object = typeInfo.isClass ? ObjectIdentifier(instance(value)) : nil
        if let known = object.flatMap({ madeNames.instances[$0] }) { return (known, false) }
        if let reason = Record.ID.validationError(forType: type) { throw invalidID(type, "", reason) }
        let name = UUID().uuidString
        let position = append(value, type, name, name.foldPlainBytes(into: typeHash).hash, typeInfo)
        madeNames.positions.insert(position)
        if let object { madeNames.instances[object] = position }
        return (position, true)
    }

    @inline(never)
    private func validate(type: String, name: String) throws {
        guard let reason = Record.ID.validationError(forType: type) ?? Record.ID.validationError(forName: name) else {
            return
        }
        throw invalidID(type, name, reason)
    }

    private func invalidID(_ type: String, _ name: String, _ reason: String) -> any Error {
        let place = frameOfNextValue.map { $0.place(of: $0.currentKey) }
        return fail(RecordError.invalidID(type: type, name: name, reason: reason, context: place))
    }

    private func noteIfConflicting(_ position: Int) {
        guard records[position].id == conflictID else { return }
        conflictPath = pathOfNextValue
    }

    /// The coding path of the value that is about to open a frame.
    var pathOfNextValue: [any CodingKey] {
        guard let frame = frameOfNextValue else { return [] }
        return frame.codingPath + (frame.currentKey.map { [$0] } ?? [])
    }

    /// Takes the fields of a new record.
    @inline(__always)
    func finish(_ position: Int, with fields: Record.Fields) throws {
        records[position].fields = fields
        states[position].isDone = true
        order.append(Int32(truncatingIfNeeded: position))
        if !pending.isEmpty { try comparePending(position) }
    }

    private func comparePending(_ position: Int) throws {
        for copy in pending.removeValue(forKey: position) ?? [] {
            try compare(position, with: copy.fields, at: copy.path)
        }
    }

    /// Compares a record with what another value of the same identity became.
    func compare(_ position: Int, with fields: Record.Fields, at path: [any CodingKey]) throws {
        guard states[position].isDone else {
            pending[position, default: []].append((fields, path))
            return
        }
        guard let field = records[position].fields.firstDifference(from: fields) else { return }
        throw fail(EncodingConflict(id: records[position].id, field: field, path: path))
    }
}
