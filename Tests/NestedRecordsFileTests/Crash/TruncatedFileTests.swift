import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct TruncatedFileTests {
    @Test func fileThatWasNotClosedEndsAtItsLastWholeBatch() async throws {
        let file = try await DamagedFiles(isClosed: false)
        let heads = [0, 7, 8, 39, 40, 4_143, 4_144]
        for size in heads + Sweep.some(200, of: 0..<file.bytes.count) + file.ends.dropLast() {
            let outcome = try await file.outcome(of: Array(file.bytes[..<size]), writesOn: size % 16 == 0)
            let expected: DamagedFiles.Outcome =
                switch size {
                case ..<8: .error("the file \(SimulatedDisk.path) is not a database of records")
                case ..<40: .error(damage(size, "the header of the file is cut off"))
                case ..<4_144: .error(damage(size, "the file is cut off"))
                default: .batch((file.ends.lastIndex { $0 <= size }) ?? -1)
                }
            try #require(outcome == expected, "cut at byte \(size)")
        }
    }

    @Test func fileThatWasClosedIsNeverShorter() async throws {
        let file = try await DamagedFiles(isClosed: true, isCompacted: true)
        let count = file.bytes.count
        for size in Sweep.some(100, of: 4_144..<count) {
            let outcome = try await file.outcome(of: Array(file.bytes[..<size]))
            let what = "the file is shorter than the \(count) bytes it once had"
            try #require(outcome == .error(damage(size, what)), "cut at byte \(size)")
        }
    }

    private func damage(_ offset: Int, _ what: String) -> String {
        "the file \(SimulatedDisk.path) is damaged at byte \(offset): \(what)"
    }
}
