import Foundation
import NestedRecords

/// What a value keeps of a coder that it was given, for use when its value is done.
struct Leftover {
    /// Writes a text to the coder, or reads what the value says.
    let use: (String) throws -> String
    let path: () -> [String]
    let recordID: () -> Record.ID?

    init(_ path: @escaping () -> [any CodingKey], _ id: @escaping () -> Any?, use: @escaping (String) throws -> String)
    {
        self.use = use
        self.path = { path().map(\.stringValue) }
        recordID = { id() as? Record.ID }
    }
}

/// Where values leave what they keep, for whatever thread takes it.
final class Shelf: @unchecked Sendable {
    private let lock = NSLock()
    private var leftovers: [Leftover] = []

    func leave(_ leftover: Leftover) {
        lock.lock()
        defer { lock.unlock() }
        leftovers.append(leftover)
    }

    /// Everything that was left until now; the shelf is empty then.
    func clear() -> [Leftover] {
        lock.lock()
        defer { lock.unlock() }
        let all = leftovers
        leftovers = []
        return all
    }
}

extension RecordGraph {
    /// The records, each with its fields in their order, in a form that compares.
    var lines: [String] { map(\.line) }
}

extension Record {
    var line: String { "\(id) \(fields)" }
}

/// A key with any name.
struct FreeKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
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
