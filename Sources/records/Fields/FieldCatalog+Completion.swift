import Foundation
import NestedRecords

extension FieldCatalog {
    /// The types, fields or IDs that complete a word, as far as a search finds them in a time; all in a small file.
    ///
    /// An error ends the search: a shell has no place for it.
    static func completions(of word: WordAtCursor, within time: Duration) async -> [String] {
        let completion = Completion(word)
        let isSmall = completion.path.flatMap(OpenFile.size).map { (1...Completion.smallSize).contains($0) } ?? false
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let search = Task.detached {
            try? await completion.find()
            end.finish()
        }
        let clock = Task.detached {
            if isSmall { return }
            try? await Task.sleep(for: time)
            end.finish()
        }
        for await _ in ends {}
        search.cancel()
        clock.cancel()
        return completion.found.withLock { $0 }
    }
}

/// A search whose findings are kept one by one, since it is ended in a large file.
private final class Completion: Sendable {
    /// The size of a file that is read in any case, since it does not take long.
    static let smallSize = 1 << 20

    /// The maximum number of IDs, and of records that are read for fields, and for types before all types are counted.
    private static let (mostIDs, sampleSize) = (100, 500)

    private let word: WordAtCursor
    let found = Lock<[String]>([])

    init(_ word: WordAtCursor) { self.word = word }

    var path: String? {
        guard let path = word.path else { return nil }
        // The shell has not replaced the tilde yet.
        guard path.utf8.starts(with: "~/".utf8), let home = ProcessInfo.processInfo.environment["HOME"] else {
            return path
        }
        return home + String(path.unicodeScalars.dropFirst())
    }

    func find() async throws {
        // Not standard input and other streams, which the command itself is to read.
        guard word.kind.isOfRecords, let path, try ServerAddress(path) != nil || (OpenFile.size(at: path) ?? 0) > 0
        else { return }
        let input = try await RecordInput(path)
        switch word.kind {
        case .type: try await findTypes(in: input) { self.add($0) }
        case .field, .fields: try await findFields(in: input)
        default: try await findIDs(in: input)
        }
    }

    private func add(_ value: String) {
        guard value.utf8.starts(with: word.text.utf8) else { return }
        found.withLock { if !$0.contains(value) { $0.append(value) } }
    }

    private func findTypes(in input: RecordInput, _ body: (String) -> Void) async throws {
        var count = 0
        for try await record in input.records() {
            body(record.id.type)
            count += 1
            if count == Self.sampleSize, case .database = input.source { break }
        }
        guard case .database(let database) = input.source else { return }
        for type in try await input.types(of: database) { body(type) }
    }

    private func findFields(in input: RecordInput) async throws {
        let scalars = word.text.unicodeScalars
        // The fields before the last comma, or the minus of a descending order, stay.
        let start =
            word.kind == .fields
            ? scalars.lastIndex(of: ",").map(scalars.index(after:))
            : scalars.first == "-" ? scalars.index(after: scalars.startIndex) : nil
        let head = String(scalars[..<(start ?? scalars.startIndex)])
        var count = 0
        for try await record in input.records(ofType: (word.values["type"] ?? word.values["TYPE"])?.first) {
            for (name, _) in record.fields { add(head + name) }
            count += 1
            if count == Self.sampleSize { return }
        }
    }

    /// Finds the types while several begin like the word, then the IDs of one type.
    private func findIDs(in input: RecordInput) async throws {
        let scalars = word.text.unicodeScalars
        var types: Set<String> = []
        if let slash = scalars.firstIndex(of: "/") {
            types = [String(scalars[..<slash])]
        } else {
            try await findTypes(in: input) { type in
                guard type.utf8.starts(with: self.word.text.utf8) else { return }
                types.insert(type)
                self.add("\(type)/")
            }
            input.rewind()
        }
        guard types.count == 1, let type = types.first else { return }
        var count = 0
        for try await record in input.records(ofType: type) {
            let id = record.id.description
            guard id.utf8.starts(with: word.text.utf8) else { continue }
            found.withLock { found in
                found.removeAll { $0 == "\(type)/" }
                found.append(id)
            }
            count += 1
            if count == Self.mostIDs { return }
        }
    }
}
