import Foundation
import NestedRecords

extension String {
    /// The spelling that Swift's `UUID` has for this name; nil if the name is not a UUID.
    var spelledAsUUID: String? { utf8.count == 36 ? UUID(uuidString: self)?.uuidString : nil }

    /// The spelling that Swift's integers have for this name; nil if the name is not an integer.
    var spelledAsInteger: String? { utf8.count < 40 ? Int64(self)?.description : nil }

    /// Other spellings of this name that a Swift type with a UUID or an integer reads as the same.
    var otherSpellings: [String] {
        let uuid = spelledAsUUID
        return [uuid, uuid?.lowercased(), spelledAsInteger].compactMap(\.self).filter { !$0.utf8.elementsEqual(utf8) }
    }
}

extension RecordDatabase {
    /// The records whose names a Swift type reads as the same as those of missing ones.
    func otherSpellings(of missing: [Record.ID]) async throws -> [Record.ID: Record.ID] {
        let others = missing.flatMap { id in
            id.name.otherSpellings.compactMap { spelling in
                (try? Record.ID(type: id.type, name: spelling)).map { (id, $0) }
            }
        }
        if others.isEmpty { return [:] }
        let found = try await recordsByID(for: others.map(\.1).uniqued())
        return Dictionary(others.filter { found[$0.1] != nil }, uniquingKeysWith: { first, _ in first })
    }

    /// What Swift types read in another way than the names of new records say.
    ///
    /// - Parameters:
    ///   - new: The IDs of records that the database does not have.
    ///   - name: The name of the database in errors.
    /// - Throws: ``InputError`` for a UUID that another record has in another spelling, and errors of reading.
    func hintsAboutSpellings(of new: [Record.ID], in name: String) async throws -> [String] {
        let others = new.flatMap { id in
            id.name.otherSpellings.compactMap { spelling in
                (try? Record.ID(type: id.type, name: spelling)).map { (id: id, other: $0) }
            }
        }
        guard !others.isEmpty else { return [] }
        let found = Set(new).union(try await recordsByID(for: others.map(\.other).uniqued()).keys)
        var hints: [String] = []
        for (id, other) in others where found.contains(other) {
            guard id.name.spelledAsUUID == nil else {
                throw InputError(input: name, reason: "\(id) and \(other) are one UUID: give both records one name")
            }
            hints.append(id.hintAboutInteger)
        }
        if let id = new.first(where: \.isUUIDInLowerCase) { hints.append(id.hintAboutUUID) }
        return Array(hints.prefix(1))
    }
}

extension Record.ID {
    /// Whether the name is a UUID that Swift does not spell so.
    var isUUIDInLowerCase: Bool { name.spelledAsUUID.map { !$0.utf8.elementsEqual(name.utf8) } ?? false }

    /// The hint that a Swift type with a UUID spells this name in another way.
    var hintAboutUUID: String {
        "a Swift type with a UUID does not find \(self): Swift writes a UUID in upper case, as "
            + "'flatten --canonical-uuids' does"
    }

    /// The hint that a Swift type with an integer reads this name and its usual spelling as one.
    var hintAboutInteger: String {
        "\(self) and \(type)/\(name.spelledAsInteger ?? "") are one for a Swift type whose identifier is an integer: "
            + "let it be a string"
    }
}
