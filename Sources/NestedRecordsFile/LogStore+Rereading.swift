import NestedRecords

// What a database reads that was opened read-only may be overwritten by the writer in another process, which compacts the
// file in place. The checksums tell, because their seed is another one then; so does the seed in the header, which is
// changed before anything is overwritten.

extension LogStore {
    /// Reads something, and again if it cannot be read because the file was compacted in place meanwhile.
    ///
    /// - Parameters:
    ///   - body: What reads.
    ///   - isWhole: Whether a result says that nothing is damaged.
    func rereading<Success>(
        _ body: (LogStore) async throws -> Success, isWhole: (Success) -> Bool = { _ in true }
    ) async throws -> Success {
        guard options.isReadOnly else { return try await body(self) }
        while true {
            let seed = view.withLock { $0.seed }
            do {
                let result = try await body(self)
                if try isWhole(result) || !reread(after: seed) { return result }
            } catch let failure as FileRecordDatabaseError where failure.code == .corrupt {
                guard try reread(after: seed) else { throw failure }
            }
        }
    }

    /// The next record of a scan, which begins anew if the file was compacted in place before its first record.
    ///
    /// - Throws: ``FileRecordDatabaseError/Code/changedWhileRead`` if that was later: the moment of which it is cannot be
    ///   read any more.
    func next(of scan: inout RecordScan?, type: String?) throws -> Record? {
        while true {
            do {
                if scan == nil { scan = try following { try RecordScan($0, type: type) } }
                return try scan?.next()
            } catch let failure as FileRecordDatabaseError where failure.code == .corrupt {
                guard let current = scan, try reread(after: current.seed) else { throw failure }
                guard current.isAtStart else { throw FileRecordDatabaseError(.changedWhileRead, path: path) }
                scan = nil
            }
        }
    }

    /// Opens the file again if it was compacted in place since.
    ///
    /// - Parameter seed: The seed of what could not be read.
    /// - Returns: Whether there is something else to read now.
    private func reread(after seed: UInt64) throws -> Bool {
        // The writer overwrites nothing that is read in its own process.
        guard options.isReadOnly else { return false }
        return try writer.withLock { writer in
            let (file, current, isOpen) = view.withLock { ($0.file, $0.seed, $0.isOpen) }
            guard isOpen else { return false }
            // Another fetch may have been first.
            guard current == seed else { return true }
            guard let head = try? FileHead(of: file), head.seed != seed else { return false }
            let (found, _, replay) = try Self.read(file, isAlone: false)
            view.withLock { view in
                view.take(replay, found)
            }
            writer.state = found.state
            return true
        }
    }
}
