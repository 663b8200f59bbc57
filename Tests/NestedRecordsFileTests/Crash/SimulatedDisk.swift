import Foundation
import TestSupport

@testable import NestedRecords
@testable import NestedRecordsFile

/// A disk in memory with one folder, which can lose its power, be full, or fail.
final class SimulatedDisk: Sendable {
    enum Operation: Sendable, Hashable, CaseIterable {
        case open, read, write, sync, truncate, size, status, lock, isSame, resolve, rename, link, remove, syncFolder
        case setOwner, setPermissions, copyExtendedAttributes
    }

    /// What becomes of a call.
    enum Fault: Sendable, Hashable {
        case error(Int32)

        /// At most so many bytes are written.
        case atMost(Int)

        /// Half of the bytes are written.
        case half

        /// Nothing is done, as if it had been: what shows that a test sees it.
        case skipped
    }

    typealias Plan = @Sendable (_ operation: Operation, _ number: Int) -> Fault?

    /// Everything on the disk, and who has what open.
    struct State {
        var files: [Int: SimulatedFile] = [:]
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var nameChanges: [[String: Int?]] = []
        var descriptors: [Int32: Int] = [:]
        var nextNumber = 3
        var progress: [Int: BatchProgress] = [:]

        /// A reader of the feed, as it was after the last acknowledged batch of each task.
        var followers: [Int: ChangeFollower] = [:]

        mutating func change(_ change: [String: Int?]) {
            for (name, file) in change { names[name] = file }
            nameChanges.append(change)
        }
    }

    /// The disk just before a call that changes it.
    struct Moment {
        let operation: Operation
        let state: State
    }

    private struct Everything {
        var state: State
        var calls = 0
        var plan: Plan?
        var moments: [Moment]?
    }

    private let everything: Lock<Everything>

    init(_ state: State = State()) {
        everything = Lock(Everything(state: state))
    }

    var state: State { everything.withLock { $0.state } }

    func change(_ body: (inout State) -> Void) {
        everything.withLock { body(&$0.state) }
    }

    /// Begins to count the calls, with these faults.
    func plan(_ plan: Plan?) {
        everything.withLock { ($0.plan, $0.calls) = (plan, 0) }
    }

    var calls: Int { everything.withLock { $0.calls } }

    /// Keeps what is on the disk before each call that changes it, from now on.
    func record() {
        everything.withLock { $0.moments = [] }
    }

    /// The moments since ``record()``, and now.
    var moments: [Moment] {
        everything.withLock { ($0.moments ?? []) + [Moment(operation: .open, state: $0.state)] }
    }

    func perform(_ operation: Operation, _ body: (inout State, Fault?) -> Int) -> Int {
        // A plan may look at the disk or change it.
        let (plan, number) = everything.withLock { everything in
            if ![.read, .size, .status, .lock, .isSame, .resolve].contains(operation) {
                everything.moments?.append(Moment(operation: operation, state: everything.state))
            }
            everything.calls += 1
            return (everything.plan, everything.calls - 1)
        }
        let fault = plan?(operation, number)
        if case .error(let code) = fault { return -Int(code) }
        if fault == .skipped, operation != .write { return 0 }
        return everything.withLock { body(&$0.state, fault) }
    }
}

/// How far the batches of a task have come.
struct BatchProgress: Equatable {
    var acknowledged = 0
    var attempted = 0

    /// What is safe without ``FileRecordDatabase/Durability/full`` too.
    var safe = 0
}

extension SimulatedDisk.State {
    /// The disk after the program was killed: all that it wrote is there, but not all of it on the platters.
    func afterKill() -> Self {
        var state = self
        state.descriptors = [:]
        for number in files.keys { state.files[number]?.locker = nil }
        return state
    }

    /// The disk after a loss of power.
    func afterPowerCut(_ random: inout SplitMix64) -> Self {
        var state = Self()
        (state.nextNumber, state.progress) = (nextNumber, progress)
        state.names = durableNames
        // The first ones, or any.
        let first = Int.random(in: 0...nameChanges.count, using: &random)
        let areInOrder = random.chance(oneIn: 2)
        for (number, change) in nameChanges.enumerated() {
            guard areInOrder ? number < first : random.chance(oneIn: 2) else { continue }
            for (name, file) in change { state.names[name] = file }
        }
        state.durableNames = state.names
        for number in Set(state.names.values).sorted() {
            state.files[number] = files[number]?.afterPowerCut(&random)
        }
        return state
    }
}
