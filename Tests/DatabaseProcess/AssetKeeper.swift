import Foundation
import NestedRecords

/// Adds a few contents again and again, saves and deletes records that name them, and collects.
struct AssetKeeper {
    private static let sizes = [0, 10, 1_000, 262_144, 300_000]

    private let name: String
    private let store: RecordStore
    private var number: Int64 = 0
    private var saved: [Int64: RecordAsset] = [:]

    init(name: String, _ store: RecordStore) { (self.name, self.store) = (name, store) }

    private func id(_ number: Int64) throws -> Record.ID { try Record.ID(type: "Kept", name: "\(name)-\(number)") }

    mutating func takeStep() async throws {
        switch Int.random(in: 0..<8) {
        case 0: report("collected \(try await store.assets.collect(olderThan: .zero).contentCount)")
        case 1, 2: try await deleteOne()
        default: try await saveOne()
        }
    }

    private mutating func saveOne() async throws {
        number += 1
        let size = Self.sizes[Int.random(in: Self.sizes.indices)]
        let asset: RecordAsset
        do {
            asset = try await store.assets.add(Data(repeating: UInt8(size % 251), count: size))
        } catch let error as RecordDatabaseError where error.code == .unknownUpload {
            // Another process has collected the upload.
            return report("lost \(number)")
        }
        report("save \(number)")
        let record = try Record(id: id(number), fields: ["photo": .asset(asset)])
        do {
            try await store.database.commit(RecordBatch(saving: [record]))
        } catch let error as RecordDatabaseError where error.code == .missingAsset {
            // Another process has collected it since.
            return report("missing \(number)")
        }
        report("saved \(number)")
        saved[number] = asset
        guard try await store.assets.data(of: asset).count == size else { throw Wrong("\(asset) has other bytes") }
    }

    private mutating func deleteOne() async throws {
        guard let (number, asset) = saved.randomElement() else { return }
        _ = try await store.assets.data(of: asset)
        report("delete \(number)")
        try await store.database.commit(RecordBatch(deletingAnyVersionOf: [id(number)]))
        saved[number] = nil
        report("deleted \(number)")
    }
}
