import Foundation
package import NestedRecords

/// Short spellings of flat records, for tests that begin with records.
package enum Flat {
    package static func record(_ id: String, _ fields: Record.Fields = [:]) throws -> Record {
        try Record(id: Record.ID(id), fields: fields)
    }

    package static func reference(_ id: String, isLink: Bool = false) throws -> Record.Value {
        .reference(Record.Reference(to: try Record.ID(id), isLink: isLink))
    }

    package static func references(_ ids: [String]) throws -> Record.Value {
        .list(try ids.map { try reference($0) })
    }
}

extension RecordContext {
    /// The coding path in a form that compares.
    package var keys: [String] { codingPath.map(\.stringValue) }

    /// The chain in a form that compares: each record with the way to the next one.
    package var steps: [String] { chain.map { $0.path.isEmpty ? "\($0.record)" : "\($0.record).\($0.path)" } }
}

/// Runs a closure in a thread with the smallest stack that the library promises to get by with.
package func inThreadWithSmallStack<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.stackSize = 512 << 10
        thread.start()
    }
}
