#if PostgreSQL
import Foundation
import Testing

/// A schema that no other test uses, on the server that the tests run on; dropped with this.
final class TestServerSchema: Sendable {
    /// The address of the server; empty if there is none.
    static let server = ProcessInfo.processInfo.environment["NESTED_RECORDS_POSTGRESQL"] ?? ""

    static let isThere = !server.isEmpty

    static let reason: Comment = "there is no server: run the tests with Scripts/with-postgresql"

    let name = "t" + UUID().uuidString

    /// The address of the schema.
    var address: String { "\(Self.server)?schema=\(name)" }

    /// The client with which tests look at tables themselves.
    static let psql = Shell.path(of: "psql")

    /// Executes a statement, in which SCHEMA is the name of the schema.
    @discardableResult
    func run(_ statement: String) throws -> ToolRun {
        let psql = try #require(Self.psql)
        return try Shell.run(
            psql, ["-qAt", Self.server, "-c", statement.replacing("SCHEMA", with: "\"\(name)\"")])
    }

    deinit { if Self.isThere { _ = try? run("DROP SCHEMA IF EXISTS SCHEMA CASCADE") } }
}
#endif
