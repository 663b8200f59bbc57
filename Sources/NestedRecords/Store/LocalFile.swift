#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A file that is read or written from its beginning to its end, in a thread of its own.
final class LocalFile: Sendable {
    private let descriptor: Lock<Int32?>
    private let path: String
    private let thread = BlockingQueue(label: "NestedRecords.file")

    private init(_ descriptor: Int32, _ path: String) { (self.descriptor, self.path) = (Lock(descriptor), path) }

    deinit { close() }

    /// Opens a file for reading.
    static func open(_ path: String) async throws -> LocalFile {
        try await opened(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }

    /// Creates a file for writing in the folder of another.
    static func create(besides path: String) async throws -> LocalFile {
        let suffix = String(UInt64.random(in: 0 ... .max), radix: 36)
        return try await opened("\(path).\(suffix).part", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC)
    }

    private static func opened(_ path: String, _ flags: Int32) async throws -> LocalFile {
        if path.utf8.contains(0) { throw RecordDatabaseError(.invalidPath, path: path) }
        return try await BlockingQueue(label: "NestedRecords.file").run {
            let descriptor = systemOpen(path, flags)
            guard descriptor >= 0 else { throw failure(.cannotOpen, "open", path) }
            return LocalFile(descriptor, path)
        }
    }

    /// Reads the next bytes; fewer than `count` only at the end.
    func read(_ count: Int) async throws -> Data {
        try await thread.run { [self] in
            let descriptor = try openDescriptor()
            var bytes = Data()
            while bytes.count < count {
                var buffer = [UInt8](repeating: 0, count: count - bytes.count)
                let result = systemRead(descriptor, &buffer, buffer.count)
                if result < 0 && errno == EINTR { continue }
                guard result >= 0 else { throw Self.failure(.inputOutput, "read", path) }
                if result == 0 { break }
                bytes.append(contentsOf: buffer.prefix(result))
            }
            return bytes
        }
    }

    func write(_ data: Data) async throws {
        try await thread.run { [self] in
            let descriptor = try openDescriptor()
            var rest = [UInt8](data)
            while !rest.isEmpty {
                let result = systemWrite(descriptor, rest, rest.count)
                if result < 0 && errno == EINTR { continue }
                guard result > 0 else { throw Self.failure(errno == ENOSPC ? .diskFull : .inputOutput, "write", path) }
                rest.removeFirst(result)
            }
        }
    }

    /// Makes the bytes durable, and gives the file another name, which it takes from a file that has it.
    func finish(as name: String) async throws {
        try await thread.run { [self] in
            let descriptor = try openDescriptor()
            guard fsync(descriptor) == 0 else { throw Self.failure(.inputOutput, "synchronize", path) }
            close()
            guard rename(path, name) == 0 else { throw Self.failure(.inputOutput, "rename", path) }
        }
    }

    func discard() {
        close()
        _ = unlink(path)
    }

    func close() { if let descriptor = descriptor.withLock({ $0.take() }) { _ = systemClose(descriptor) } }

    private func openDescriptor() throws -> Int32 {
        guard let descriptor = descriptor.withLock({ $0 }) else { throw RecordDatabaseError(.closed, path: path) }
        return descriptor
    }

    private static func failure(
        _ code: RecordDatabaseError.Code, _ operation: String, _ path: String
    ) -> RecordDatabaseError {
        let number = errno
        return RecordDatabaseError(
            code, .system(operation: operation, code: "\(number)"), reason: String(cString: strerror(number)),
            path: path)
    }
}

// Inside a type with members of these names the functions are not found.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o666) }
private func systemRead(_ file: Int32, _ bytes: inout [UInt8], _ count: Int) -> Int { read(file, &bytes, count) }
private func systemWrite(_ file: Int32, _ bytes: [UInt8], _ count: Int) -> Int { write(file, bytes, count) }
private func systemClose(_ file: Int32) -> Int32 { close(file) }
