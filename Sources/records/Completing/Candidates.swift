import Foundation
import NestedRecords

/// Looks for the values that can complete a word: types, fields and IDs of the records in a file.
///
/// They are collected as they are found, since a search in a large file is ended by ``Candidates/within(_:)``.
final class Candidates: Sendable {
    /// The maximum number of IDs.
    private static let mostIDs = 100

    /// The size of a file that is read in any case, since it does not take long.
    private static let smallSize = 1 << 20

    /// The number of records that are read for fields, and for types before all types are counted.
    private static let sampleSize = 500

    private let word: WordAtCursor
    private let found = Lock<[String]>([])

    init(for word: WordAtCursor) { self.word = word }

    /// The values that were found in a time, or all of a small file.
    ///
    /// An error ends the search: a shell has no place for it.
    func within(_ time: Duration) async -> [String] {
        let isSmall = path.flatMap(OpenFile.size(at:)).map { (1...Self.smallSize).contains($0) } ?? false
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let search = Task.detached {
            try? await self.find()
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
        return found.withLock { $0 }
    }

    private func add(_ value: String) {
        guard value.utf8.starts(with: word.text.utf8) else { return }
        found.withLock { if !$0.contains(value) { $0.append(value) } }
    }

    private func find() async throws {
        guard word.kind.isOfRecords, let input = try await input() else { return }
        switch word.kind {
        case .type: try await findTypes(in: input) { self.add($0) }
        case .field, .fields: try await findFields(in: input)
        default: try await findIDs(in: input)
        }
    }

    /// The records; nil for standard input and other streams, which the command itself is to read.
    private func input() async throws -> RecordInput? {
        guard let path, try ServerAddress(path) != nil || (OpenFile.size(at: path) ?? 0) > 0 else { return nil }
        return try await RecordInput(path)
    }

    private var path: String? {
        guard let path = word.path else { return nil }
        // The shell has not replaced the tilde yet.
        guard path.utf8.starts(with: "~/".utf8), let home = ProcessInfo.processInfo.environment["HOME"] else {
            return path
        }
        return home + String(path.unicodeScalars.dropFirst())
    }

    private func findTypes(in input: RecordInput, _ body: (String) -> Void) async throws {
        var count = 0
        for try await record in input.records() {
            body(record.id.type)
            count += 1
            if count == Self.sampleSize, input.canBeReadAgain, case .database = input.source { break }
        }
        guard case .database(let database) = input.source else { return }
        for type in try await input.types(of: database) { body(type) }
    }

    private func findFields(in input: RecordInput) async throws {
        let isList = word.kind == .fields
        let scalars = word.text.unicodeScalars
        // The fields before the last comma, or the minus of a descending order, stay.
        let start =
            isList
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
