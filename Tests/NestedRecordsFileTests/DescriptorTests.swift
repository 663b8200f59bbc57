import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct DescriptorTests {
    @Test func descriptorsOfStandardStreamsAreNotUsed() throws {
        let folder = try TemporaryFolder()
        try Data("content".utf8).write(to: URL(filePath: folder.path()))
        // To close a stream of the tests would disturb others: every descriptor up to this one is taken for a stream.
        let low = open(folder.path(), O_RDONLY)
        let moved = Int32(FileSystem.aboveStandardStreams(low, lowest: low + 20))
        defer { close(moved) }
        #expect(moved >= low + 20)
        #expect(fcntl(moved, F_GETFD) & FD_CLOEXEC != 0)
        var bytes = [UInt8](repeating: 0, count: 7)
        #expect(pread(moved, &bytes, 7, 0) == 7)
        #expect(bytes == Array("content".utf8))
        #expect(FileSystem.aboveStandardStreams(moved) == Int(moved))
        errno = ENOENT
        #expect(FileSystem.aboveStandardStreams(-1) == -Int(ENOENT))
    }
}
