import Foundation
import NestedRecords
import TestSupport
import Testing

private struct Account: RecordCodable, Identifiable, Equatable {
    var id: String
    var address: String?
    var names: [String] = []
    static let recordType = "NormalizedAccount"
    static let schema = RecordSchema(
        unique: ["address"],
        normalizing: [
            "address": { $0.precomposedStringWithCanonicalMapping }, "names": { $0.lowercased() },
        ], indexes: [["address"]])
}

private struct Message: RecordCodable, Identifiable {
    var id: String
    var sender: Account
}

/// Properties of which every spelling is stored as one.
@Suite struct NormalizedPropertyTests {
    private let composed = "caf\u{e9}@example.org"
    private let decomposed = "cafe\u{301}@example.org"
    private let store = RecordStore(InMemoryRecordDatabase())

    @Test func stringsAreStoredInOneSpelling() async throws {
        let account = try await store.insert(Account(id: "ann", address: decomposed, names: ["Ann", "LEE"]))
        let record = try #require(try await store.database.record(for: Record.ID("NormalizedAccount/ann")))
        #expect(record["address"] == .string(composed))
        #expect(record["names"] == .list([.string("ann"), .string("lee")]))
        #expect(account.value.names == ["ann", "lee"])
    }

    @Test func nilIsNotNormalized() async throws {
        try await store.insert(Account(id: "ann"))
        #expect(try await store.fetch(Account.self, named: "ann").value.address == nil)
    }

    @Test func twoSpellingsOfAUniqueValueAreOneValue() async throws {
        try await store.insert(Account(id: "ann", address: composed))
        let error = await #expect(throws: RecordDatabaseError.self) {
            try await store.insert(Account(id: "bo", address: decomposed))
        }
        #expect(error?.code == .valueTaken)
    }

    @Test func filtersFindEachSpelling() async throws {
        try await store.insert(Account(id: "ann", address: decomposed, names: ["Ann"]))
        try await store.insert(Message(id: "1", sender: Account(id: "bo", address: composed + "x")))
        for address in [composed, decomposed] {
            let found = try await store.query(Account.self).filter { $0.address == address }.all()
            #expect(found.map(\.value.id) == ["ann"])
            let senders = try await store.query(Message.self).filter { $0.sender.address == address + "x" }.all()
            #expect(senders.map(\.value.id) == ["1"])
            let prefix = address.prefix { $0 != "@" }
            #expect(try await store.query(Account.self).filter { $0.address.hasPrefix(String(prefix)) }.count() == 2)
            #expect(try await store.query(Account.self).filter { $0.address.containsText(address) }.count() == 2)
        }
        #expect(try await store.query(Account.self).filter { $0.names.contains("ANN") }.count() == 1)
    }

    @Test func changesAreNormalized() async throws {
        try await store.insert(Account(id: "ann", names: ["ann"]))
        try await store.change(Account.self, named: "ann") {
            $0.address.set(decomposed)
            $0.names.append("LEE")
            $0.names.remove("ANN")
        }
        let record = try #require(try await store.database.record(for: Record.ID("NormalizedAccount/ann")))
        #expect(record["address"] == .string(composed))
        #expect(record["names"] == .list([.string("lee")]))
    }

    @Test func valueInAnotherSpellingIsNotAChange() async throws {
        let stored = try await store.insert(Account(id: "ann", address: composed))
        var account = stored
        account.value.address = decomposed
        #expect(try await store.save(account).metadata == stored.metadata)
    }

    @Test func propertiesThatAreNotStringsAreRefused() {
        struct Visit: RecordCodable, Identifiable {
            var id: String
            var count: Int
            static let schema = RecordSchema(normalizing: ["count": { $0 }])
        }
        let error = #expect(throws: EncodingError.self) { try RecordEncoder().encode(Visit(id: "1", count: 2)) }
        #expect("\(String(describing: error))".contains("a normalized property must hold strings, not an integer"))
    }
}
