import NestedRecords

/// The names of documents, collections and fields.
struct DocumentNames: Sendable {
    /// The path of the database's documents: `projects/p/databases/(default)/documents`.
    let database: String

    /// The path after which the collections of the types are.
    let root: String

    private let collections: [String: String]
    private let types: [String: String]

    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for parts that no path has.
    init(project: String, database name: String, below path: String, collections: [String: String]) throws {
        func refuse(_ reason: String) -> RecordDatabaseError { RecordDatabaseError(.invalidOptions, reason: reason) }
        for part in [project, name] where part.isEmpty || part.utf8.contains(where: { "/?#%:".utf8.contains($0) }) {
            throw refuse("\(part.debugDescription) is not the name of a project or a database")
        }
        let parts = path.isEmpty ? [] : Self.parts(of: path)
        if !parts.count.isMultiple(of: 2) { throw refuse("\(path.debugDescription) is not the path of a document") }
        for part in parts + collections.values {
            if let fault = Self.pathFault(part) { throw refuse("\(part.debugDescription) \(fault)") }
        }
        types = Dictionary(collections.map { ($1, $0) }, uniquingKeysWith: min)
        if types[JournalEntry.collection] != nil {
            throw refuse("the collection \(JournalEntry.collection) has the journal")
        }
        if types.count < collections.count { throw refuse("two types have one collection") }
        self.collections = collections
        database = "projects/\(project)/databases/\(name)/documents"
        root = ([database] + parts).joined(separator: "/")
    }

    func path(ofEntry number: Int64) -> String {
        let digits = String(number)
        return "\(root)/\(JournalEntry.collection)/" + String(repeating: "0", count: 20 - digits.utf8.count) + digits
    }

    func collection(of type: String) -> String { collections[type] ?? type }

    /// The type of the records of a collection; nil if its documents cannot be records.
    func type(ofCollection collection: String) -> String? {
        if collection == JournalEntry.collection { return nil }
        if let type = types[collection] { return type }
        // The type has a collection of another name.
        if collections[collection] != nil { return nil }
        return (try? Record.ID(type: collection, name: "a")).map(\.type)
    }

    func path(of id: Record.ID) -> String { "\(root)/\(collection(of: id.type))/\(id.name)" }

    func reference(to id: Record.ID) -> JSONValue { StructuredQuery.reference(path(of: id)) }

    /// The record of a document; nil for documents of other databases, of other paths, and with other names.
    func id(ofPath path: String) -> Record.ID? {
        guard path.utf8.starts(with: root.utf8), path.utf8.count > root.utf8.count else { return nil }
        let parts = Self.parts(of: String(decoding: path.utf8.dropFirst(root.utf8.count), as: UTF8.self))
        guard parts.count == 3, parts[0].isEmpty, let type = type(ofCollection: parts[1]) else { return nil }
        return try? Record.ID(type: type, name: parts[2])
    }

    static func parts(of path: String) -> [String] {
        path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    }

    /// Whether a string is the path of a document, of any database.
    static func isDocument(_ path: String) -> Bool {
        let parts = parts(of: path)
        return parts.count >= 7 && parts.count % 2 == 1 && !parts.contains("")
            && [parts[0], parts[2], parts[4]] == ["projects", "databases", "documents"]
    }

    /// Why no document can be a record's; nil if one can.
    func fault(of id: Record.ID) -> String? {
        let collection = collection(of: id.type)
        if collection == JournalEntry.collection { return "the collection \(collection) has the journal" }
        if let type = types[collection], type != id.type {
            return "the collection \(collection) has the records of the type \(type)"
        }
        return Self.pathFault(id.name).map { "the name \($0)" }
    }

    /// Why a part of a path is refused.
    ///
    /// https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
    private static func pathFault(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.contains(UInt8(ascii: "/")) { return "has a slash" }
        if [".", ".."].contains(name) { return "is a point or two" }
        return isReserved(name) ? "is reserved by Firestore" : nil
    }

    private static func isReserved(_ name: String) -> Bool {
        name.utf8.count >= 4 && name.utf8.starts(with: "__".utf8) && name.utf8.suffix(2).elementsEqual("__".utf8)
    }

    /// Why Firestore refuses the name of a field or of a map's member; nil if it takes it.
    static func fieldFault(_ name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name.utf8.count > 1_500 { return "has more than 1,500 bytes" }
        return isReserved(name) ? "is reserved by Firestore" : nil
    }

    /// The path of a field in a request; nil if a document may have the value elsewhere.
    ///
    /// A name with other letters may have another spelling in a document, which is the same name here alone. A location has
    /// its parts in another form, and a map that is deep is in the binary form.
    func path(of field: FieldPath) -> String? {
        let names = field.names
        guard (1...DocumentEncoder.deepest).contains(names.count),
            names.allSatisfy({ name in
                Self.fieldFault(name) == nil && name.utf8.first != UInt8(ascii: "$")
                    && name.utf8.allSatisfy { $0 < 0x80 }
            }),
            names.dropFirst().allSatisfy({ $0 != "latitude" && $0 != "longitude" })
        else { return nil }
        return Self.fieldPath(names)
    }

    /// The path of a field in a request.
    static func fieldPath(_ names: [String]) -> String {
        names.map { name in
            let isSimple =
                name.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                } && !(name.utf8.first.map { (0x30...0x39).contains($0) } ?? true)
            if isSimple { return name }
            var quoted = "`"
            for scalar in name.unicodeScalars {
                if scalar == "`" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
                quoted.unicodeScalars.append(scalar)
            }
            return quoted + "`"
        }.joined(separator: ".")
    }
}
