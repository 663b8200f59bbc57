import Foundation
import NestedRecords
import NestedRecordsFile
import TestSupport
import Testing

@Suite struct SecondProcessTests {
    private static let flock = ["/usr/bin/flock", "/bin/flock"].first(where: FileManager.default.isExecutableFile)

    @Test(.enabled(if: flock != nil)) func lockOfAnotherProcessIsRespected() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path()
        let record = try Flat.record("A/1", ["n": 1])
        let first = try FileRecordDatabase(path: path)
        _ = try await first.save(RecordGraph([record]))
        let flock = try #require(Self.flock)

        let refused = Process()
        refused.executableURL = URL(fileURLWithPath: flock)
        refused.arguments = ["--nonblock", path, "true"]
        try refused.run()
        refused.waitUntilExit()
        #expect(refused.terminationStatus == 1)
        try await first.close()

        let holder = Process()
        let (output, input) = (Pipe(), Pipe())
        holder.executableURL = URL(fileURLWithPath: flock)
        holder.arguments = ["--nonblock", path, "sh", "-c", "echo locked; read line"]
        (holder.standardOutput, holder.standardInput) = (output, input)
        try holder.run()
        #expect(output.fileHandleForReading.availableData == Data("locked\n".utf8))
        let failure = #expect(throws: RecordDatabaseError.self) { try FileRecordDatabase(path: path) }
        #expect(failure?.code == .locked && failure?.path == path)
        let reader = try FileRecordDatabase(path: path, options: .readOnly)
        #expect(try await reader.record(for: record.id)?.fields == record.fields)
        try input.fileHandleForWriting.close()
        holder.waitUntilExit()
        let again = try FileRecordDatabase(path: path)
        #expect(try await again.record(for: record.id)?.fields == record.fields)
    }
}
