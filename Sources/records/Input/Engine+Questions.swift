extension Engine {
    /// What a user gives to name a database, in the order of the table, as the beginning of a sentence.
    static func list(beforeLast word: String = "") -> String {
        let (files, servers) = (all.filter(\.schemes.isEmpty), all.filter { !$0.schemes.isEmpty }.map(\.name))
        let addresses = servers.dropLast().joined(separator: ", ") + " or " + servers.suffix(1).joined()
        let names = files.map(\.name) + ["\(word)the address of \(addresses)"]
        return "A" + names.joined(separator: ", ").dropFirst()
    }

    /// The engine whose files begin with some bytes; nil for none.
    static func ofFile(beginningWith bytes: some Sequence<UInt8>) -> Engine? {
        all.first { !$0.start.isEmpty && bytes.starts(with: $0.start.utf8) }
    }

    /// The engine of a new file by its name; nil for none.
    static func ofNewFile(_ path: String) -> Engine? {
        all.first { $0.suffixes.contains { path.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) } }
    }
}
