@testable import NestedRecords

/// Bytes that are a recipe for a record file, see FileRecipe and FileCheck.
enum FileInput {
    /// Makes the file, and opens it.
    static func check(_ input: [UInt8]) async {
        await FileCheck(input.withUnsafeBytes { FileRecipe($0) }).run()
    }

    private static let made = Lock<[[UInt8]]>([])

    /// The first recipes.
    static func seeds() async throws -> [[UInt8]] {
        let known = made.withLock { $0 }
        if !known.isEmpty { return known }
        let recipes = try await FileSeeds.recipes().sorted { $0.key < $1.key }.map(\.value)
        made.withLock { $0 = recipes }
        return recipes
    }
}
