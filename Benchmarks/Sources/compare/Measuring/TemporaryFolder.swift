import Foundation

enum TemporaryFolder {
    /// Makes an empty folder.
    static func make() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "NestedRecords-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}

extension FileManager {
    /// The number of bytes in a file.
    func fileSize(at url: URL) throws -> Double {
        let size = try attributesOfItem(atPath: url.path)[.size] as? NSNumber
        return size?.doubleValue ?? 0
    }
}
