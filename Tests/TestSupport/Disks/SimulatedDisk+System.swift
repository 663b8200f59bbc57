import Foundation
import NestedRecords
package import NestedRecordsFile

extension SimulatedDisk {
    package static let folder = "/disk"
    package static let path = folder + "/test.records"

    /// What resolved paths begin with: the database knows files of one process by them, and tests run side by side.
    private var root: String { "/\(UInt(bitPattern: ObjectIdentifier(self)))" }

    /// The name in the state that a path has, resolved or not.
    private func name(_ path: String) -> String {
        path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    }

    /// The calls of the operating system, made to this disk.
    package var system: FileSystem {
        var system = FileSystem()
        system.open = { [self] path, flags, permissions in
            perform(.open) { state, _ in state.open(name(path), flags, permissions) }
        }
        system.close = { [self] descriptor in change { $0.close(descriptor) } }
        system.read = { [self] descriptor, bytes, offset in
            perform(.read) { state, _ in
                state.withFile(descriptor) { file in
                    let part = file.bytes.dropFirst(offset).prefix(bytes.count)
                    part.withUnsafeBytes { bytes.copyMemory(from: $0) }
                    return part.count
                }
            }
        }
        system.write = { [self] descriptor, bytes, offset in
            perform(.write) { state, fault in
                if fault == .skipped { return bytes.count }
                let count =
                    switch fault {
                    case .atMost(let count): min(count, bytes.count)
                    case .half: (bytes.count + 1) / 2
                    default: bytes.count
                    }
                return state.withFile(descriptor) { file in
                    file.write(Array(bytes.prefix(count)), at: offset)
                    return count
                }
            }
        }
        system.sync = { [self] descriptor in
            perform(.sync) { state, _ in
                state.withFile(descriptor) { file in
                    file.sync()
                    return 0
                }
            }
        }
        system.truncate = { [self] descriptor, size in
            perform(.truncate) { state, _ in
                state.withFile(descriptor) { file in
                    file.resize(to: size)
                    return 0
                }
            }
        }
        system.size = { [self] descriptor in
            perform(.size) { state, _ in state.withFile(descriptor) { $0.bytes.count } }
        }
        addAttributes(to: &system)
        addLocksAndNames(to: &system)
        return system
    }

    private func addAttributes(to system: inout FileSystem) {
        system.status = { [self] descriptor, status in
            let found = Lock(FileStatus())
            let code = perform(.status) { state, _ in
                let linkCount = state.names.values.count { $0 == state.descriptors[descriptor] }
                return state.withFile(descriptor) { file in
                    found.withLock { status in
                        status = file.status
                        status.linkCount = linkCount
                    }
                    return 0
                }
            }
            if code == 0 { status = found.withLock { $0 } }
            return code
        }
        system.setOwner = { [self] descriptor, owner, group in
            perform(.setOwner) { state, _ in
                state.withFile(descriptor) { file in
                    (file.status.owner, file.status.group) = (owner, group)
                    return 0
                }
            }
        }
        system.setPermissions = { [self] descriptor, permissions in
            perform(.setPermissions) { state, _ in
                state.withFile(descriptor) { file in
                    file.status.permissions = permissions
                    return 0
                }
            }
        }
        system.copyExtendedAttributes = { [self] source, target in
            perform(.copyExtendedAttributes) { state, _ in
                var attributes: [String: [UInt8]] = [:]
                let code = state.withFile(source) { file in
                    attributes = file.extendedAttributes
                    return 0
                }
                guard code == 0 else { return code }
                return state.withFile(target) { file in
                    file.extendedAttributes = attributes
                    return 0
                }
            }
        }
    }

    private func addLocksAndNames(to system: inout FileSystem) {
        system.checkReplacement = { _, _ in 0 }
        system.lock = { [self] descriptor in
            perform(.lock) { state, _ in
                state.withFile(descriptor) { file in
                    guard file.locker == nil || file.locker == descriptor else { return -Int(EWOULDBLOCK) }
                    file.locker = descriptor
                    return 0
                }
            }
        }
        system.unlock = { [self] descriptor in
            change { $0.unlock(descriptor) }
            return 0
        }
        system.isSame = { [self] descriptor, path in
            perform(.isSame) { state, _ in
                guard let named = state.names[name(path)] else { return -Int(ENOENT) }
                return named == state.descriptors[descriptor] ? 1 : 0
            }
        }
        system.resolve = { [self] path, resolved in
            let code = perform(.resolve) { state, _ in
                name(path) == Self.folder || state.names[name(path)] != nil ? 0 : -Int(ENOENT)
            }
            if code == 0 { resolved = root + name(path) }
            return code
        }
        system.rename = { [self] old, new in
            let (old, new) = (name(old), name(new))
            return perform(.rename) { state, _ in
                guard let file = state.names[old] else { return -Int(ENOENT) }
                state.change([old: nil, new: file])
                return 0
            }
        }
        system.link = { [self] old, new in
            let (old, new) = (name(old), name(new))
            return perform(.link) { state, _ in
                guard let file = state.names[old] else { return -Int(ENOENT) }
                guard state.names[new] == nil else { return -Int(EEXIST) }
                state.change([new: file])
                return 0
            }
        }
        system.remove = { [self] path in
            let path = name(path)
            return perform(.remove) { state, _ in
                guard state.names[path] != nil else { return -Int(ENOENT) }
                state.change([path: nil])
                return 0
            }
        }
        system.makeFolder = { [self] path, permissions in
            let path = name(path)
            return perform(.makeFolder) { state, _ in
                guard state.names[path] == nil else { return -Int(EEXIST) }
                guard state.hasFolder(of: path) else { return -Int(ENOENT) }
                var folder = SimulatedFile()
                (folder.status.permissions, folder.status.isRegular) = (permissions, false)
                state.add(folder, path)
                return 0
            }
        }
        system.list = { [self] path, names in
            let path = name(path)
            var found: [String] = []
            let code = perform(.list) { state, _ in
                guard path == Self.folder || state.names[path] != nil else { return -Int(ENOENT) }
                found = state.names.keys.filter { $0.hasPrefix(path + "/") }
                return 0
            }
            names += found.map { String($0.dropFirst(path.count + 1)) }.filter { !$0.contains("/") }
            return code
        }
        system.syncFolder = { [self] path in
            let path = name(path)
            return perform(.syncFolder) { state, _ in
                guard path == Self.folder || state.names[path] != nil else { return -Int(ENOENT) }
                state.syncNames(in: path)
                return 0
            }
        }
    }
}

extension SimulatedDisk.State {
    fileprivate mutating func open(_ path: String, _ flags: Int32, _ permissions: FilePermissions) -> Int {
        if flags & O_CREAT != 0 {
            guard names[path] == nil else { return -Int(EEXIST) }
            guard hasFolder(of: path) else { return -Int(ENOENT) }
            var file = SimulatedFile()
            file.status.permissions = permissions
            add(file, path)
        }
        guard let file = names[path] else { return -Int(ENOENT) }
        descriptors[Int32(nextNumber)] = file
        nextNumber += 1
        return nextNumber - 1
    }

    fileprivate mutating func add(_ file: SimulatedFile, _ path: String) {
        files[nextNumber] = file
        change([path: nextNumber])
        nextNumber += 1
    }

    fileprivate mutating func close(_ descriptor: Int32) {
        unlock(descriptor)
        descriptors[descriptor] = nil
    }

    fileprivate mutating func unlock(_ descriptor: Int32) {
        guard let file = descriptors[descriptor], files[file]?.locker == descriptor else { return }
        files[file]?.locker = nil
    }

    fileprivate mutating func withFile(_ descriptor: Int32, _ body: (inout SimulatedFile) -> Int) -> Int {
        guard let number = descriptors[descriptor], var file = files[number] else { return -Int(EBADF) }
        // Taken out so that its bytes are changed in place.
        files[number] = nil
        defer { files[number] = file }
        return body(&file)
    }
}

extension SimulatedDisk.State {
    /// What stands in the database's file.
    package var bytes: [UInt8] { names[SimulatedDisk.path].flatMap { files[$0]?.bytes } ?? [] }

    /// A disk with one file that is safe.
    package static func with(_ bytes: [UInt8], progress: [Int: BatchProgress] = [:]) -> Self {
        var state = Self()
        state.files[1] = SimulatedFile(durable: bytes)
        state.names[SimulatedDisk.path] = 1
        (state.durableNames, state.progress) = (state.names, progress)
        return state
    }
}

extension SimulatedDisk {
    /// Opens the database on this disk, and reads it in this thread.
    package func open(_ change: (inout FileRecordDatabase.Options) -> Void = { _ in }) throws -> FileRecordDatabase {
        var options = FileRecordDatabase.Options()
        options.compactionThreshold = nil
        change(&options)
        let database = try FileRecordDatabase(path: Self.path, options: options, system: system)
        try database.prepareWhileWaiting()
        return database
    }

    package func openForReading() throws -> FileRecordDatabase { try open { $0.isReadOnly = true } }
}
