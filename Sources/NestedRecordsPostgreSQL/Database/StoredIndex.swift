#if PostgreSQL
import Foundation
import NestedRecords

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
        if Self.attributes.contains(index.path) {
            path = index.path.description
        } else {
            // Encoding strings never fails.
            let names = try? JSONEncoder().encode(index.path.names)
            path = names.map { String(decoding: $0, as: UTF8.self) } ?? index.path.description
        }
    }

    var index: FieldIndex? {
        if let attribute = Self.attributes.first(where: { $0.description == path }) {
            return FieldIndex(recordType, by: attribute)
        }
        guard let names = try? JSONDecoder().decode([String].self, from: Data(path.utf8)) else { return nil }
        return FieldIndex(recordType, by: FieldPath(names))
    }
}
#endif
