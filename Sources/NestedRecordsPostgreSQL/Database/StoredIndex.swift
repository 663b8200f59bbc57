#if PostgreSQL
import Foundation
@_spi(Engines) import NestedRecords

struct StoredIndex: Sendable, Hashable {
    let recordType: String
    let path: String
    private static let attributes: [FieldPath] = [.recordName, .creationDate, .modificationDate, .changeTag]

    init(recordType: String, path: String) {
        self.recordType = recordType
        self.path = path
    }

    init(_ index: FieldIndex) {
        recordType = index.recordType
        if let attribute = index.paths.first, index.paths.count == 1, Self.attributes.contains(attribute) {
            path = attribute.description
        } else {
            let paths = index.paths.map { Self.attributes.contains($0) ? [[], [$0.description]] : [$0.names] }
            // Encoding strings never fails.
            let text = try? paths.count == 1 ? JSONEncoder().encode(paths[0][0]) : JSONEncoder().encode(paths)
            path = text.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }

    var index: FieldIndex? {
        if let attribute = Self.attributes.first(where: { $0.description == path }) {
            return FieldIndex(recordType, by: attribute)
        }
        if let names = try? JSONDecoder().decode([String].self, from: Data(path.utf8)) {
            return FieldIndex(recordType, by: FieldPath(names))
        }
        // Each of several paths is a list with its names, or with nothing and a list with the name of an attribute.
        guard let parts = try? JSONDecoder().decode([[[String]]].self, from: Data(path.utf8)) else { return nil }
        let paths = parts.map { part in
            part.count == 2 ? Self.attributes.first { [$0.description] == part[1] } : part.first.map { FieldPath($0) }
        }
        return paths.contains(nil) ? nil : FieldIndex(recordType, by: paths.compactMap { $0 })
    }
}
#endif
