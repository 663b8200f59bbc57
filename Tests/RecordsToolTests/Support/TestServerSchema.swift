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

        deinit {
            guard Self.isThere, let psql = Shell.path(of: "psql") else { return }
            _ = try? Shell.run(psql, ["-q", Self.server, "-c", "DROP SCHEMA IF EXISTS \"\(name)\" CASCADE"])
        }
    }
#endif
