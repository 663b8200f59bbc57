import Foundation

enum TemporaryFolder {
    /// Makes an empty folder.
    static func make() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "NestedRecords-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }
}
