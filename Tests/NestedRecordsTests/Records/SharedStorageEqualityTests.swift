import NestedRecords
import Testing

/// Values that share their storage are equal without a look at every path through them.
@Suite(.timeLimit(.minutes(1))) struct SharedStorageEqualityTests {
    @Test func valueIsEqualToItself() {
        var value = Record.Value.list([.int(1)])
        for _ in 1...22 { value = .list([value, value]) }
        let copy = value
        let clock = ContinuousClock()
        let time = clock.measure { #expect(copy == value) }
        #expect(time < .milliseconds(100))
    }
}
