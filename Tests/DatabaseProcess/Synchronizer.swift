import Foundation
import NestedRecords
import NestedRecordsSync

/// Edits a database of its own, and synchronizes it with one that all processes have.
///
/// Before an edit it writes a line with `try`, and one with `did` once the edit is saved.
struct Synchronizer {
    let name: String
    private let local: any RecordDatabase
    private let sync: RecordSync
    private var number = Int(Date().timeIntervalSinceReferenceDate * 1_000)

    init(name: String, _ local: any RecordDatabase, with remote: any RecordDatabase) throws {
        (self.name, self.local) = (name, local)
        var options = SyncOptions()
        options.rules.set(.counter, for: "count", ofType: "Card")
        options.rules.set(.list, for: "list", ofType: "Card")
        options.pageSize = 7
        sync = try RecordSync(local, with: remote, named: "cloud", options: options)
    }

    mutating func takeStep() async throws {
        number += 1
        switch Int.random(in: 0..<10) {
        case 0..<3: try await synchronize()
        case 3..<6:
            try await edit("count", "shared\(Int.random(in: 0..<8))") { record, _ in
                guard case .int(let count) = record["count"] ?? 0 else { return }
                record["count"] = .int(count + 1)
            }
        case 6..<8:
            try await edit("list", "shared\(Int.random(in: 0..<8))") { record, number in
                guard case .list(let list) = record["list"] ?? [] else { return }
                record["list"] = .list(list + [.string(number)])
            }
        default:
            try await edit("text", "\(name)-\(Int.random(in: 0..<20))") { record, number in
                record["text"] = .string(number)
            }
        }
    }

    private func edit(_ kind: String, _ recordName: String, _ change: (inout Record, String) -> Void) async throws {
        let id = try Record.ID(type: "Card", name: recordName)
        // The shared records are made by the test, so that nobody makes one twice.
        guard var record = try await local.record(for: id) ?? (kind == "text" ? Record(id: id) : nil) else { return }
        let value = "\(name).\(number)"
        change(&record, value)
        report("try \(kind) \(recordName) \(value)")
        do {
            try await local.commit(RecordBatch(saving: [record]))
        } catch RecordDatabaseError.Code.conflict {
            return report("lost \(kind) \(recordName) \(value)")
        }
        report("did \(kind) \(recordName) \(value)")
    }

    /// Synchronizes, and cuts the connection in some cases.
    private func synchronize() async throws {
        let sync = sync
        let task = Task { try await sync.synchronize() }
        let cut = Task {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0..<60)))
            task.cancel()
        }
        if Bool.random() { cut.cancel() }
        do {
            _ = try await task.value
            report("synchronized")
        } catch let error where error is CancellationError || (error as? RecordDatabaseError)?.isTransient == true {
            report("cut")
        } catch let error as RecordDatabaseError where [.unknownOutcome, .connectionLost].contains(error.code) {
            report("cut")
        } catch let error as any ClassifiedError where error.underlyingError is CancellationError {
            report("cut")
        }
        cut.cancel()
    }

    /// Synchronizes to the end.
    func finish() async throws {
        for _ in 0..<3 { try await sync.synchronize() }
        for conflict in try await sync.conflicts() { report("conflict \(conflict.recordID.name)") }
        for change in try await sync.rejected() { report("wrong \(change)") }
        if try await !sync.verify().isEmpty { throw Wrong("records differ") }
    }
}
