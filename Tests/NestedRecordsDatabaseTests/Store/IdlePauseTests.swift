import TestSupport
import Testing

@testable import NestedRecords

@Suite struct IdlePauseTests {
    @Test func pausesDoubleUpToTenMilliseconds() async throws {
        let pauses = Locked<[Duration]>([])
        var pause = IdlePause()
        pause.sleep = { pause in pauses.withLock { $0.append(pause) } }
        for _ in 0..<6 { try await pause.wait() }
        #expect(pauses.withLock { $0 } == [1, 2, 4, 8, 10, 10].map { .milliseconds($0) })
    }
}
