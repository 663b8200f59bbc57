import Foundation
@_spi(Engines) import NestedRecords

extension RecordDatabaseRequirement {
    /// Requirements about assets; a database without ``RecordDatabase/assets`` refuses records with assets.
    static let assets = [
        RecordDatabaseRequirement("refuses a record with an asset whose content it lacks") { database in
            let asset = try RecordAsset(hash: String(repeating: "0a", count: 32), size: 5)
            let fields: [Record.Fields] = [
                ["photo": .asset(asset)], ["text": "x", "photos": [["a": [.null, .asset(asset)]]]],
            ]
            for fields in fields {
                let record = try Record(id: Record.sample("a").id, fields: fields)
                let error = try await databaseError(.missingAsset, of: record.id) {
                    try await database.commit(RecordBatch(saving: [record]))
                }
                try expect(
                    error.context.field == fields.map(\.name).last,
                    "the error names the field \(error.context.field ?? "")")
                try await database.expectLacks(record.id)
            }
        },
        ofStorages("keeps contents of all sizes, and returns any part of them") { database, assets in
            let chunk = AssetContent.chunkSize
            for size in [0, 1, 1_000] {
                let bytes = contents(size)
                let asset = try await assets.add(bytes, contentType: "image/png", fileName: "é.png")
                try expect(asset.size == size, "a content of \(size) bytes was added with \(asset.size)")
                let all = try await assets.data(of: asset)
                try expect(all == bytes, "a content of \(size) bytes came back with others")
                for range in [0..<1, 5..<size / 2 + 6, size - 1..<size + 10, chunk - 3..<chunk + 3, 0..<size]
                where range.lowerBound >= 0 {
                    let expected = bytes.dropFirst(range.lowerBound).prefix(range.count)
                    var found = Data()
                    for try await part in assets.bytes(
                        of: asset, in: Int64(range.lowerBound)..<Int64(range.upperBound))
                    {
                        found += part
                    }
                    try expect(found == expected, "the bytes \(range) of \(size) are others")
                }
                var record = try Record.sample("\(size)")
                record["photo"] = .asset(asset)
                try await database.expectHolds(database.saved(record))
            }
        },
        ofStorages("keeps contents when it is reopened") { subject in
            let asset = try await AssetStore(of: subject.database).add(contents(3_000))
            let record = try await subject.database.saved(Record.sample("a").naming(asset))
            guard let reopened = try await subject.reopened()?.database else { return }
            try await reopened.expectHolds(record)
            let bytes = try await AssetStore(of: reopened).data(of: asset)
            try expect(bytes == contents(3_000), "the bytes are others after reopening")
        },
        ofStorages("stores equal bytes once, also from several writers at a time", collecting: true) {
            database, assets in
            let found = try await withThrowingTaskGroup(of: RecordAsset.self) { group in
                for _ in 0..<4 { group.addTask { try await assets.add(contents(4_000)) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            try expect(found.count == 1, "equal bytes got \(found.count) names")
            let listed = try await assets.contents(limit: 10)
            try expect(listed.map(\.hash) == found.map(\.hash), "the contents are \(listed)")
            try await database.commit(RecordBatch(saving: [Record.sample("a").naming(found.first)]))
            let collection = try await assets.collect(olderThan: .zero - .seconds(60))
            try expect(collection == AssetCollection(), "something was collected: \(collection)")
            for asset in found {
                let bytes = try await assets.data(of: asset)
                try expect(bytes == contents(4_000), "the bytes are others")
            }
        },
        ofStorages("takes a chunk again, and refuses one after a gap or of an unknown upload") { database, _ in
            let storage = try unwrap(database.assets, "the storage is gone")
            let chunk = contents(AssetContent.chunkSize)
            let (upload, size) = (try await storage.beginUpload(), Int64(AssetContent.chunkSize))
            try await storage.append(chunk, toUpload: upload, at: 0)
            try await storage.append(chunk, toUpload: upload, at: 0)
            try await databaseError(.invalidUpload) { try await storage.append(chunk, toUpload: upload, at: 2 * size) }
            try await databaseError(.invalidUpload) { try await storage.append(chunk, toUpload: upload, at: 1) }
            try await databaseError(.invalidUpload) { try await storage.append(Data(), toUpload: upload, at: size) }
            try await databaseError(.invalidUpload) {
                try await storage.append(chunk + chunk, toUpload: upload, at: size)
            }
            try await storage.append(contents(5), toUpload: upload, at: size)
            try await databaseError(.invalidUpload) { try await storage.append(chunk, toUpload: upload, at: 2 * size) }
            let count = try await storage.size(ofUpload: upload)
            try expect(count == size + 5, "the upload has \(count) bytes")
            var hasher = AssetHasher()
            for offset: Int64 in [0, size] { hasher.add(try await storage.chunk(ofUpload: upload, at: offset)) }
            var shorter = AssetHasher()
            shorter.add(chunk)
            try await databaseError(.invalidUpload) { [shorter] in
                try await storage.finishUpload(upload, as: shorter.digest)
            }
            try await storage.finishUpload(upload, as: hasher.digest)
            let cancelled = try await storage.beginUpload()
            try await storage.append(chunk, toUpload: cancelled, at: 0)
            try await storage.cancelUpload(cancelled)
            for gone in [upload, cancelled, "unknown", String(repeating: "a", count: 32), "../../../../../etc/passwd"] {
                try await databaseError(.unknownUpload) { try await storage.append(chunk, toUpload: gone, at: 0) }
                try await databaseError(.unknownUpload) { _ = try await storage.size(ofUpload: gone) }
                try await databaseError(.unknownUpload) { [shorter] in
                    try await storage.finishUpload(gone, as: shorter.digest)
                }
                try await storage.cancelUpload(gone)
            }
            let content = try await storage.content(hasher.digest.hash)
            try expect(content?.digest == hasher.digest, "the content is \(String(describing: content))")
        },
        ofStorages("collects what no record names, and nothing else", collecting: true) { database, assets in
            let (used, unused) = (try await assets.add(contents(3_000)), try await assets.add(contents(10)))
            let storage = try unwrap(database.assets, "the storage is gone")
            let upload = try await storage.beginUpload()
            try await storage.append(contents(100), toUpload: upload, at: 0)
            let record = try await database.saved(Record.sample("a").naming(used))
            let early = try await assets.collect(olderThan: .seconds(3_600))
            try expect(early == AssetCollection(), "something new was collected: \(early)")
            var collection = try await assets.collect(olderThan: .zero - .seconds(60))
            try expect(
                collection.contentCount == 1 && collection.byteCount == 10 && collection.uploadCount == 1,
                "the collection is \(collection)")
            let remain = (try await assets.exists(used), try await assets.exists(unused))
            try expect(remain == (true, false), "the contents that remain are \(remain)")
            try await databaseError(.missingAsset) { _ = try await assets.data(of: unused) }
            try await databaseError(.missingAsset, of: record.id) {
                _ = try await database.saved(record.naming(unused))
            }
            try await databaseError(.unknownUpload) { _ = try await storage.size(ofUpload: upload) }
            // A record that no longer names it, and one that is deleted.
            let changed = try await database.saved(record.with(text: "new").naming(nil))
            collection = try await assets.collect(olderThan: .zero - .seconds(60))
            try expect(collection.contentCount == 1, "the collection after a change is \(collection)")
            let again = try await assets.add(contents(3_000))
            _ = try await database.saved(changed.naming(again))
            try await database.delete(changed.id)
            collection = try await assets.collect(olderThan: .zero - .seconds(60))
            try expect(collection.contentCount == 1, "the collection after a deletion is \(collection)")
            let left = try await assets.contents(limit: 10)
            try expect(left.isEmpty, "the contents are \(left)")
        },
        ofStorages("never has a record without its content, while others collect", collecting: true) {
            database, assets in
            for round in 0..<20 {
                let asset = try await assets.add(contents(1_000 + round))
                async let collection = assets.collect(olderThan: .zero - .seconds(60))
                let record = try Record.sample("\(round)").naming(asset)
                do {
                    _ = try await database.saved(record)
                    let bytes = try await assets.data(of: asset)
                    try expect(bytes.count == 1_000 + round, "the content has \(bytes.count) bytes")
                } catch let error as RecordDatabaseError where error.code == .missingAsset {
                    try await database.expectLacks(record.id)
                }
                _ = try await collection
            }
        },
        ofStorages("lists contents in pages, and keeps its own records out of lists", collecting: true) {
            database, assets in
            var hashes: [String] = []
            for size in 1...5 { hashes.append(try await assets.add(contents(size)).hash) }
            var (found, last) = ([String](), String?.none)
            repeat {
                let page = try await assets.contents(after: last, limit: 2)
                found += page.map(\.hash)
                last = page.count == 2 ? page.last?.hash : nil
            } while last != nil
            try expect(found == hashes.sorted(), "the contents are \(found)")
            for try await record in database.records(ofType: nil) {
                throw UnmetExpectation(explanation: "a list of all records has \(record.id)")
            }
        },
        RecordDatabaseRequirement(
            "applies a batch only if a record exists that must exist", needs: .conditions
        ) { database in
            let record = try await database.saved(Record.sample("a"))
            var batch = RecordBatch(saving: [try Record.sample("b")])
            batch.conditions = [RecordBatch.VersionedID(record.id, version: .exists)]
            if batch.count > database.batchLimit { return }
            try await database.commit(batch)
            batch.saves = [try Record.sample("c")]
            batch.conditions = [RecordBatch.VersionedID(try Record.sample("missing").id, version: .exists)]
            try await databaseError(.versionMismatch, of: Record.sample("missing").id) { [batch] in
                try await database.commit(batch)
            }
            try await database.expectLacks(Record.sample("c").id)
        },
    ]

    /// A requirement of databases that keep assets; others meet it.
    private static func ofStorages(
        _ name: String, collecting collects: Bool = false,
        _ body: @escaping @Sendable (any RecordDatabase, AssetStore) async throws -> Void
    ) -> RecordDatabaseRequirement {
        ofStorages(name, collecting: collects) { try await body($0.database, AssetStore(of: $0.database)) }
    }

    private static func ofStorages(
        _ name: String, collecting collects: Bool = false,
        subject body: @escaping @Sendable (ContractSubject) async throws -> Void
    ) -> RecordDatabaseRequirement {
        RecordDatabaseRequirement(name) { (subject: ContractSubject) in
            guard let storage = subject.database.assets else { return }
            // A scope does not list or collect the contents of its database.
            if collects {
                do {
                    _ = try await storage.collect(before: .distantPast)
                } catch RecordDatabaseError.Code.unsupported {
                    return
                }
            }
            try await body(subject)
        }
    }

    /// Bytes that depend on their place.
    private static func contents(_ size: Int) -> Data {
        var state = UInt32(truncatingIfNeeded: size)
        return Data(
            (0..<size).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: state >> 24)
            })
    }
}

extension AssetStore {
    fileprivate init(of database: any RecordDatabase) { self = RecordStore(database).assets }
}

extension Record {
    fileprivate func naming(_ asset: RecordAsset?) -> Record {
        var record = self
        record["photo"] = asset.map(Value.asset)
        return record
    }
}
