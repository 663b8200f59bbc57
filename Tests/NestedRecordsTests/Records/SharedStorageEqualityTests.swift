import NestedRecords
import TestSupport
import Testing

/// Values that share their storage are equal without a look at every path through them.
@Suite(.timeLimit(.minutes(10))) struct SharedStorageEqualityTests {
    @Test func valueIsEqualToItself() {
        var shared = Record.Value.list([.int(1)])
        for _ in 1...22 { shared = .list([shared, shared]) }
        let copy = shared
        let sharedTime = threadTime { #expect(copy == shared) }

        // A 64th of the paths, each of them compared: without sharing the first comparison would take far longer.
        func tree(_ depth: Int) -> Record.Value {
            depth == 0 ? .list([.int(1)]) : .list([tree(depth - 1), tree(depth - 1)])
        }
        let (one, other) = (tree(16), tree(16))
        let separateTime = threadTime { #expect(one == other) }
        #expect(sharedTime < separateTime)
    }
}
