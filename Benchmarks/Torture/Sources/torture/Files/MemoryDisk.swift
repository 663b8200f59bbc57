import Foundation

@testable import NestedRecords
@testable import NestedRecordsFile

/// A disk in memory that never fails, for files that are opened thousands of times a second.
final class MemoryDisk: Sendable {
    static let path = "/memory/file"

    private struct State {
        var files: [Int: [UInt8]] = [:]
        var lockers: [Int: Int32] = [:]
        var names: [String: Int] = [:]
        var descriptors: [Int32: Int] = [:]
        var next = 3

        mutating func open(_ path: String, _ flags: Int32) -> Int {
            if flags & O_CREAT != 0 {
                guard names[path] == nil else { return -Int(EEXIST) }
                names[path] = next
                files[next] = []
                next += 1
            }
            guard let file = names[path] else { return -Int(ENOENT) }
            descriptors[Int32(next)] = file
            next += 1
            return next - 1
        }

        mutating func unlock(_ descriptor: Int32) {
            if let file = descriptors[descriptor], lockers[file] == descriptor { lockers[file] = nil }
        }

        mutating func change(_ descriptor: Int32, _ body: (inout [UInt8]) -> Int) -> Int {
            guard let file = descriptors[descriptor] else { return -Int(EBADF) }
            return body(&files[file, default: []])
        }
    }

    private let state = Lock(State())

    /// - Parameter bytes: The existing file; nil for none.
    init(_ bytes: [UInt8]? = nil) {
        guard let bytes else { return }
        state.withLock { state in
            (state.names[Self.path], state.files[1]) = (1, bytes)
        }
    }

    /// The contents of the file, or of the file with this suffix.
    func bytes(_ suffix: String = "") -> [UInt8]? {
        state.withLock { state in state.names[Self.path + suffix].flatMap { state.files[$0] } }
    }

    /// The names of all files.
    var names: Set<String> { state.withLock { Set($0.names.keys) } }

    /// Releases all locks, as the system does for a killed program.
    func unlockAll() {
        state.withLock { $0.lockers = [:] }
    }

    /// The calls of the operating system, redirected to this disk.
    var system: FileSystem {
        let state = state
        var system = FileSystem()
        system.open = { path, flags, _ in state.withLock { $0.open(path, flags) } }
        system.close = { descriptor in
            state.withLock { state in
                state.unlock(descriptor)
                state.descriptors[descriptor] = nil
            }
        }
        system.read = { descriptor, bytes, offset in
            state.withLock { state in
                state.change(descriptor) { file in
                    let part = file.dropFirst(offset).prefix(bytes.count)
                    part.withUnsafeBytes { bytes.copyMemory(from: $0) }
                    return part.count
                }
            }
        }
        system.write = { descriptor, bytes, offset in
            state.withLock { state in
                state.change(descriptor) { file in
                    let missing = offset + bytes.count - file.count
                    if missing > 0 { file.append(contentsOf: repeatElement(0, count: missing)) }
                    file.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
                    return bytes.count
                }
            }
        }
        system.truncate = { descriptor, size in
            state.withLock { state in
                state.change(descriptor) { file in
                    file.removeLast(file.count - size)
                    return 0
                }
            }
        }
        system.size = { descriptor in state.withLock { state in state.change(descriptor) { $0.count } } }
        (system.sync, system.syncFolder) = ({ _ in 0 }, { _ in 0 })
        system.status = { _, status in
            status = FileStatus()
            return 0
        }
        (system.setOwner, system.setPermissions) = ({ _, _, _ in 0 }, { _, _ in 0 })
        system.copyExtendedAttributes = { _, _ in 0 }
        system.resolve = { path, resolved in
            resolved = path
            return 0
        }
        addLocksAndNames(to: &system)
        return system
    }

    private func addLocksAndNames(to system: inout FileSystem) {
        let state = state
        system.checkReplacement = { _, _ in 0 }
        system.lock = { descriptor in
            state.withLock { state in
                guard let file = state.descriptors[descriptor] else { return -Int(EBADF) }
                guard state.lockers[file] == nil else { return -Int(EWOULDBLOCK) }
                state.lockers[file] = descriptor
                return 0
            }
        }
        system.unlock = { descriptor in
            state.withLock { $0.unlock(descriptor) }
            return 0
        }
        system.isSame = { descriptor, path in
            state.withLock { state in state.names[path] == state.descriptors[descriptor] ? 1 : 0 }
        }
        system.rename = { old, new in
            state.withLock { state in
                state.names[new] = state.names.removeValue(forKey: old)
                return 0
            }
        }
        system.link = { old, new in
            state.withLock { state in
                guard state.names[new] == nil else { return -Int(EEXIST) }
                state.names[new] = state.names[old]
                return 0
            }
        }
        system.remove = { path in state.withLock { $0.names.removeValue(forKey: path) == nil ? -Int(ENOENT) : 0 } }
    }
}

extension MemoryDisk {
    /// Opens the file, and reads it in this thread.
    func open(isReadOnly: Bool = false, isRelaxed: Bool = false) throws -> FileRecordDatabase {
        var options = FileRecordDatabase.Options()
        options.isReadOnly = isReadOnly
        options.durability = isRelaxed ? .relaxed : .full
        options.now = { Date(timeIntervalSinceReferenceDate: 700_000_000.5) }
        let database = try FileRecordDatabase(path: Self.path, options: options, system: system)
        try database.prepareWhileWaiting()
        return database
    }
}
