import Foundation
@_spi(Engines) import NestedRecords
import TestSupport

extension DatabaseFault {
    static let assets = [
        DatabaseFault(
            "leaves out assets whose content it lacks",
            violates: "refuses a record with an asset whose content it lacks",
            saying: "the batch was not refused"
        ) {
            .distorting(values: { value in
                if case .asset = value { nil } else { value }
            })
        },
        storing(
            "returns other bytes", violates: "keeps contents of all sizes, and returns any part of them",
            saying: "have another hash"
        ) {
            $0.chunk = { storage, content, offset in
                try await storage.chunk(of: content, at: offset).map { Data($0.reversed()) }
            }
        },
        DatabaseFault(
            "loses contents", violates: "keeps contents when it is reopened", saying: "is not in the database"
        ) {
            var database = storing { _ in }
            database.reopen = { database in
                var database = database
                database.storage = { base in
                    var storage = BrokenAssets(base)
                    storage.content = { _, _ in nil }
                    return storage
                }
                return database
            }
            return database
        },
        storing(
            "lists contents twice", violates: "stores equal bytes once, also from several writers at a time",
            saying: "the contents are"
        ) {
            $0.contents = { storage, hash, limit in
                let found = try await storage.contents(after: hash, limit: limit)
                return found + found
            }
        },
        storing(
            "takes chunks after a gap",
            violates: "takes a chunk again, and refuses one after a gap or of an unknown upload",
            saying: "was not refused"
        ) {
            $0.append = { storage, chunk, upload, offset in
                try? await storage.append(chunk, toUpload: upload, at: offset)
            }
        },
        storing(
            "collects nothing", violates: "collects what no record names, and nothing else", saying: "the collection is"
        ) { $0.collect = { _, _ in AssetCollection() } },
        storing(
            "loses contents that a record names",
            violates: "never has a record without its content, while others collect",
            saying: "there is a record Sample/"
        ) { $0.content = { _, _ in nil } },
        storing(
            "lists pages backwards", violates: "lists contents in pages, and keeps its own records out of lists",
            saying: "the contents are"
        ) {
            $0.contents = { storage, hash, limit in try await storage.contents(after: hash, limit: limit).reversed() }
        },
        DatabaseFault(
            "does not look whether a record exists",
            violates: "applies a batch only if a record exists that must exist", saying: "the batch was not refused"
        ) {
            BrokenDatabase(modify: { base, call in
                var call = call
                call.conditions = []
                return try await call.perform(in: base)
            })
        },
    ]

    private static func storing(
        _ description: String, violates requirement: String, saying explanation: String,
        _ breaking: @escaping @Sendable (inout BrokenAssets) -> Void
    ) -> DatabaseFault {
        DatabaseFault(description, violates: requirement, saying: explanation) { storing(breaking) }
    }

    private static func storing(_ breaking: @escaping @Sendable (inout BrokenAssets) -> Void) -> BrokenDatabase {
        var database = BrokenDatabase()
        database.storage = { base in
            var storage = BrokenAssets(base)
            breaking(&storage)
            return storage
        }
        return database
    }
}

/// A storage of assets that works but for the closures that are replaced.
private struct BrokenAssets: ForwardingAssetStorage {
    typealias Base = any AssetStorage

    let base: Base
    var append: @Sendable (Base, Data, String, Int64) async throws -> Void = {
        try await $0.append($1, toUpload: $2, at: $3)
    }
    var content: @Sendable (Base, String) async throws -> AssetContent? = { try await $0.content($1) }
    var chunk: @Sendable (Base, AssetContent, Int64) async throws -> Data? = { try await $0.chunk(of: $1, at: $2) }
    var contents: @Sendable (Base, String?, Int) async throws -> [AssetContent] = {
        try await $0.contents(after: $1, limit: $2)
    }
    var collect: @Sendable (Base, Date) async throws -> AssetCollection = { try await $0.collect(before: $1) }

    init(_ base: Base) { self.base = base }

    func content(_ hash: String) async throws -> AssetContent? { try await content(base, hash) }
    func collect(before date: Date) async throws -> AssetCollection { try await collect(base, date) }

    func append(_ chunk: Data, toUpload upload: String, at offset: Int64) async throws {
        try await append(base, chunk, upload, offset)
    }

    func chunk(of content: AssetContent, at offset: Int64) async throws -> Data? {
        try await chunk(base, content, offset)
    }

    func contents(after hash: String?, limit: Int) async throws -> [AssetContent] {
        try await contents(base, hash, limit)
    }
}
