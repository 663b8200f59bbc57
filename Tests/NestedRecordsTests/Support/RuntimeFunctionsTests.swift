import Testing

@testable import NestedRecords

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite struct RuntimeFunctionsTests {
    private struct Plain: Codable {
        var number: Int
        var words: [String]
    }

    private struct Book: RecordCodable, Identifiable, Equatable {
        var id: String
        var title: String
    }

    private struct Shelf: RecordCodable, Identifiable, Equatable {
        var id: String
        var label: String
        var books: [Book]
    }

    /// Each of the two properties is stored in the field that has the name of the other.
    private struct Swapped: RecordCodable, Identifiable, Equatable {
        var id: String
        var first: String
        var second: Book?

        enum CodingKeys: String, CodingKey {
            case id
            case first = "second"
            case second = "first"
        }
    }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static func symbol(_ name: String) -> UnsafeMutableRawPointer? { dlsym(dlopen(nil, RTLD_LAZY), name) }

    private static let names = [
        "swift_reflectionMirror_recursiveCount", "swift_reflectionMirror_recursiveChildMetadata",
        "swift_reflectionMirror_recursiveChildOffset", "swift_EnumCaseName",
    ]

    @Test func functionsThatAreLookedUpDescribeTypes() throws {
        let found = try #require(RuntimeFunctions(named: Self.symbol))
        RuntimeFunctions.$current.withValue(found) {
            let properties = StoredProperty.all(of: Plain.self)
            #expect(properties.map(\.name) == ["number", "words"])
            let types: [Any.Type] = [Int.self, [String].self]
            #expect(properties.map { ObjectIdentifier($0.type) } == types.map { ObjectIdentifier($0) })
            #expect(Swapped.CodingKeys.first.caseName == "first" && Swapped.CodingKeys.second.caseName == "second")
            #expect(Name(stringValue: "number").caseName == nil)
        }
    }

    @Test(arguments: names) func withoutOneNoneIsUsed(_ missing: String) {
        #expect(RuntimeFunctions { $0 == missing ? nil : Self.symbol($0) } == nil)
    }

    @Test func withoutThemNoTypeIsDescribed() {
        RuntimeFunctions.$current.withValue(nil) {
            #expect(StoredProperty.all(of: Plain.self).isEmpty)
            #expect(Swapped.CodingKeys.first.caseName == nil)
        }
    }

    @Test func withoutThemEveryTypeMayHoldRecords() {
        var search = RecordSearch()
        let isKnown = search.mayHoldRecords(Plain.self)
        let isGuessed = RuntimeFunctions.$current.withValue(nil) {
            var search = RecordSearch()
            return search.mayHoldRecords(Plain.self)
        }
        #expect(!isKnown && isGuessed)
    }

    @Test func withoutThemNestedValuesAreFetched() async throws {
        let books = [Book(id: "1", title: "Clouds"), Book(id: "2", title: "Seas")]
        let shelf = Shelf(id: "a", label: "Maps", books: books)
        let swapped = Swapped(id: "s", first: "text", second: Book(id: "3", title: "Winds"))
        try await RuntimeFunctions.$current.withValue(nil) {
            let store = RecordStore(InMemoryRecordDatabase())
            try await store.insert(shelf)
            try await store.insert(swapped)
            #expect(try await store.fetch(Shelf.self, named: "a").value == shelf)
            #expect(try await store.fetch(Swapped.self, named: "s").value == swapped)
        }
    }

    @Test func withoutThemQueriesNameFields() async throws {
        try await RuntimeFunctions.$current.withValue(nil) {
            let store = RecordStore(InMemoryRecordDatabase())
            try await store.insert(Shelf(id: "a", label: "Maps", books: []))
            let error = await #expect(throws: RecordError.self) {
                _ = try await store.query(Shelf.self).filter { $0.label == "Maps" }.all()
            }
            #expect(error?.code == .unknownField)
            #expect("\(try #require(error))".contains("name the field instead"))
            let found = try await store.query(Shelf.self).filter { $0.field("label", as: String.self) == "Maps" }.all()
            #expect(found.map(\.id) == ["a"])
        }
    }

    @Test(arguments: [true, false]) func renamedPropertiesAreNeverMistakenForEachOther(_ isDescribed: Bool) async throws
    {
        try await RuntimeFunctions.$current.withValue(isDescribed ? RuntimeFunctions.current : nil) {
            let store = RecordStore(InMemoryRecordDatabase())
            try await store.insert(Swapped(id: "s", first: "text", second: nil))
            let error = await #expect(throws: RecordError.self) {
                _ = try await store.query(Swapped.self).filter { $0.first == "text" }.all()
            }
            #expect(error?.code == .unknownField)
        }
    }
}
