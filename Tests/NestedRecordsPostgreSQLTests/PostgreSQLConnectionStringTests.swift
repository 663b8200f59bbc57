#if PostgreSQL
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords
@testable import NestedRecordsPostgreSQL

/// What can be said without a server.
@Suite struct PostgreSQLConnectionStringTests {
    @Test(arguments: [
        "postgresql://ada:geheim@[::1", "postgresql://ada:geheim@host:port:port/x?nonsense=1",
        "password=geheim user",
        "password='geheim", "host=x password=geheim\u{0}", "postgresql://ada:geheim%zz@host/x", "geheim",
    ])
    func stringsThatCannotBeReadAreNotRepeated(_ connection: String) async {
        let failure = await expectFailure(.invalidConnection) {
            _ = try PostgreSQLRecordDatabase(connection: connection)
        }
        #expect(failure?.description.contains("geheim") == false)
    }

    @Test func descriptionsHaveNoPasswords() async throws {
        for connection in [
            "postgresql://ada:geheim@host:99/school", "host=host password=geheim sslpassword=geheim",
        ] {
            let database = try PostgreSQLRecordDatabase(connection: connection)
            var dumped = ""
            dump(database, to: &dumped)
            for text in ["\(database)", dumped, String(reflecting: database)] {
                #expect(!text.contains("geheim"))
                #expect(text.contains("host"))
            }
        }
    }

    @Test func messagesAreOneLineWithoutPasswords() throws {
        let parameters = try ConnectionParameters("host=host password=geheim")
        #expect(
            parameters.message("the server is gone\n\tThis means that geheim\n\tis wrong.\n")
                == "the server is gone This means that … is wrong.")
        #expect(parameters.message("\n") == "")
    }

    @Test(arguments: ["", "a\u{0}b", String(repeating: "é", count: 32)])
    func schemasThatCannotBeNamedAreRefused(_ schema: String) async {
        await expectFailure(.invalidOptions) {
            var options = PostgreSQLRecordDatabase.Options()
            options.schema = schema
            _ = try PostgreSQLRecordDatabase(connection: "host=x", options: options)
        }
    }

    @Test func aMissingServerIsATransientError() async throws {
        let database = try PostgreSQLRecordDatabase(
            connection: "postgresql://ada:geheim@127.0.0.1:1/school?connect_timeout=2")
        let failure = await expectFailure(.notConnected) { _ = try await database.allRecords() }
        #expect(failure?.isTransient == true && failure?.description.contains("127.0.0.1") == true)
        #expect(failure?.description.contains("geheim") == false)
        // All waiting calls fail.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { await expectFailure(.notConnected) { try await database.prepare() } }
            }
        }
    }

    @Test func aLostWorkerIsATransientError() {
        func isTransient(_ sqlState: String, _ message: String) -> Bool {
            RecordDatabaseError.refused(sqlState: sqlState, message: message, hint: nil, purpose: "save").isTransient
        }
        #expect(isTransient("08006", "connection to the remote node postgres@127.0.0.1:9701 failed"))
        #expect(isTransient("XX000", "failure on connection marked as essential: 127.0.0.1:9701"))
        #expect(isTransient("XX000", "SSL SYSCALL error: EOF detected"))
        #expect(isTransient("XX000", "server closed the connection unexpectedly"))
        #expect(!isTransient("XX000", "could not read block 0"))
    }

    @Test func arraysWithinArraysAreEscaped() {
        #expect(["a", nil, "", "\"\\{},NULL", "é"].arrayText == #"{"a",NULL,"","\"\\{},NULL","é"}"#)
        #expect([String?]().arrayText == "{}")
        #expect("a\"b".asIdentifier == "\"a\"\"b\"")
    }

    /// Names in which a quote is a part of a character, or has others around it.
    static let quotes = ["\"", "\"\u{301}", "\u{600}\"", "a\"\u{301}\"\u{20DD}b", "\"\u{200D}\"", "\"\u{FE0F}é"]

    @Test(arguments: quotes) func everyQuoteOfANameIsDoubled(_ name: String) {
        let bytes = name.utf8.flatMap { $0 == 0x22 ? [0x22, 0x22] : [$0] }
        #expect(Array(name.asIdentifier.utf8) == [0x22] + bytes + [0x22])
    }

    @Test func literalsAreASCII() {
        #expect("a'\\ é\u{301}\u{1F600}".asLiteral == #"E'a\'\\ \U000000e9\U00000301\U0001f600'"#)
    }

    /// The values of some keywords that connections are opened with.
    private func values(_ connection: String) throws -> [String?] {
        let parameters = try PostgreSQLRecordDatabase(connection: connection).parameters
        return [
            "connect_timeout", "tcp_user_timeout", "keepalives", "keepalives_idle", "keepalives_interval",
            "keepalives_count",
        ].map { keyword in parameters.values.last { $0.keyword == keyword }?.value }
    }

    @Test func serversThatVanishAreGivenUpUnlessTheStringSaysOtherwise() throws {
        #expect(try values("host=h") == ["10", "60000", "1", "30", "10", "3"])
        #expect(
            try values("postgresql://h?tcp_user_timeout=0&keepalives=0&keepalives_idle=7&connect_timeout=4")
                == ["4", "0", "0", "7", "10", "3"])
    }

    @Test func descriptionsAreOneLine() {
        let error = RecordDatabaseError(.refused, reason: "a\r\nb\n\u{301}c")
        #expect(!error.description.utf8.contains { $0 == 0x0A || $0 == 0x0D })
    }
}
#endif
