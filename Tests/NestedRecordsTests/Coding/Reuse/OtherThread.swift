import Foundation
import NestedRecords

extension RecordGraph {
    /// The records, each with its fields in their order, in a form that compares.
    var lines: [String] { map(\.line) }
}

extension Record {
    var line: String { "\(id) \(fields)" }
}

/// Runs a closure in a thread of its own and waits for it.
func inOtherThread<Result>(_ body: @escaping () throws -> Result) throws -> Result {
    let work = ThreadWork(body)
    let thread = Thread {
        work.run()
        work.isDone.signal()
    }
    thread.stackSize = 2 << 20
    thread.start()
    work.isDone.wait()
    guard let result = work.result else { throw CancellationError() }
    return try result.get()
}

/// Touched by the new thread alone, and by who waits for it when it is done.
private final class ThreadWork<Success>: @unchecked Sendable {
    let isDone = DispatchSemaphore(value: 0)
    private let body: () throws -> Success
    private(set) var result: Result<Success, any Error>?

    init(_ body: @escaping () throws -> Success) { self.body = body }

    func run() { result = Result { try body() } }
}
