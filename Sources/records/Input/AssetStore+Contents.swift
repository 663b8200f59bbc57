import NestedRecords

extension AssetStore {
    /// Calls the closure with each content.
    func forEachContent(_ body: (AssetContent) async throws -> Void) async throws {
        var last: String?
        repeat {
            let page = try await contents(after: last, limit: 1_000)
            for content in page { try await body(content) }
            last = page.count == 1_000 ? page.last?.hash : nil
        } while last != nil
    }
}
