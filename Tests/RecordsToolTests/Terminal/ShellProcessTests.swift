import Foundation
import TestSupport
import Testing

@testable import records

struct ShellProcessTests {
    #if os(Linux)
    /// A lock or a pipe of this process would otherwise stay open until the script ends.
    @Test func scriptHasNoOtherFilesOfTheProcess() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("open")
        try Data().write(to: URL(fileURLWithPath: file))
        // Without the flag that closes it for other programs.
        let descriptor = open(file, O_RDONLY)
        defer { close(descriptor) }
        let pipe = try ShellProcess.makePipe()
        let process = try ShellProcess("ls -l /proc/$$/fd", descriptors: [(pipe.write, as: STDOUT_FILENO)])
        close(pipe.write)
        let listed = try FileHandle(fileDescriptor: pipe.read, closeOnDealloc: true).readToEnd() ?? Data()
        #expect(process.wait() == 0)
        let lines = String(decoding: listed, as: UTF8.self)
        #expect(!lines.contains(file) && lines.contains(" 1 -> pipe:"), "\(lines)")
        #expect(!lines.contains(" 3 -> "), "\(lines)")
    }
    #endif
}
