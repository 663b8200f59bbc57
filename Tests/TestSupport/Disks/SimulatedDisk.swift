import Foundation
import NestedRecords
import NestedRecordsFile

/// A disk in memory with one folder and those made in it, which can lose its power, be full, or fail.
package final class SimulatedDisk: Sendable {
    package enum Operation: Sendable, Hashable, CaseIterable {
        case open, read, write, sync, truncate, size, status, lock, isSame, resolve, rename, link, remove, syncFolder
        case makeFolder, list
        case setOwner, setPermissions, copyExtendedAttributes
    }

    /// What becomes of a call.
    package enum Fault: Sendable, Hashable {
        case error(Int32)

        /// At most so many bytes are written.
        case atMost(Int)

        /// Half of the bytes are written.
        case half

        /// Nothing is done, as if it had been: what shows that a test sees it.
        case skipped
    }

    package typealias Plan = @Sendable (_ operation: Operation, _ number: Int) -> Fault?

    /// Everything on the disk, and who has what open.
    package struct State {
        package var files: [Int: SimulatedFile] = [:]
        package var names: [String: Int] = [:]
        package var durableNames: [String: Int] = [:]
        package var nameChanges: [[String: Int?]] = []
        package var descriptors: [Int32: Int] = [:]
        package var nextNumber = 3
        package var progress: [Int: BatchProgress] = [:]

        /// A reader of the feed, as it was after the last acknowledged batch of each task.
        package var followers: [Int: ChangeFollower] = [:]

        package init() {}

        mutating func change(_ change: [String: Int?]) {
            for (name, file) in change { names[name] = file }
            nameChanges.append(change)
        }

        /// Makes the names in a folder safe, but not that of the folder.
        mutating func syncNames(in folder: String) {
            func isInside(_ name: String) -> Bool { Self.folder(of: name) == folder }
            durableNames = durableNames.filter { !isInside($0.key) }
            durableNames.merge(names.filter { isInside($0.key) }) { $1 }
            nameChanges = nameChanges.map { $0.filter { !isInside($0.key) } }.filter { !$0.isEmpty }
        }

        func hasFolder(of name: String) -> Bool {
            let folder = Self.folder(of: name)
            if folder == SimulatedDisk.folder { return true }
            return names[folder].flatMap { files[$0]?.status.isRegular } == false && hasFolder(of: folder)
        }

        static func folder(of name: String) -> String { String(name[..<(name.lastIndex(of: "/") ?? name.startIndex)]) }
    }

    /// The disk just before a call that changes it.
    package struct Moment {
        package let operation: Operation
        package let state: State
    }

    private struct Everything {
        var state: State
        var calls = 0
        var plan: Plan?
        var moments: [Moment]?
    }

    private let everything: Lock<Everything>

    package init(_ state: State = State()) {
        everything = Lock(Everything(state: state))
    }

    package var state: State { everything.withLock { $0.state } }

    package func change(_ body: (inout State) -> Void) {
        everything.withLock { body(&$0.state) }
    }

    /// Begins to count the calls, with these faults.
    package func plan(_ plan: Plan?) {
        everything.withLock { ($0.plan, $0.calls) = (plan, 0) }
    }

    package var calls: Int { everything.withLock { $0.calls } }

    /// Keeps what is on the disk before each call that changes it, from now on.
    package func record() {
        everything.withLock { $0.moments = [] }
    }

    /// The moments since ``record()``, and now.
    package var moments: [Moment] {
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
package struct BatchProgress: Equatable {
    package var acknowledged: Int
    package var attempted: Int

    /// What is safe without ``RecordDurability/full`` too.
    package var safe: Int

    package init(acknowledged: Int = 0, attempted: Int = 0, safe: Int = 0) {
        (self.acknowledged, self.attempted, self.safe) = (acknowledged, attempted, safe)
    }
}

extension SimulatedDisk.State {
    /// The disk after the program was killed: all that it wrote is there, but not all of it on the platters.
    package func afterKill() -> Self {
        var state = self
        state.descriptors = [:]
        for number in files.keys { state.files[number]?.locker = nil }
        return state
    }

    /// The disk after a loss of power.
    package func afterPowerCut(_ random: inout SplitMix64) -> Self {
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
        // Folders last, whose own names may be lost.
        state.files = files
        state.names = state.names.filter { [state] in state.hasFolder(of: $0.key) }
        state.files = [:]
        state.durableNames = state.names
        for number in Set(state.names.values).sorted() {
            state.files[number] = files[number]?.afterPowerCut(&random)
        }
        return state
    }
}
