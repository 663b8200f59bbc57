import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The forms that other programs see, and what becomes of their changes.
struct RecordMappingTests {
    private let id: Record.ID
    private let metadata = Record.Metadata(
        changeTag: "tag", creationDate: Date(timeIntervalSinceReferenceDate: 1),
        modificationDate: Date(timeIntervalSinceReferenceDate: 2))

    init() throws { id = try Record.ID(type: "School", name: "1") }

    private func encoded(
        _ fields: Record.Fields, _ mapping: RecordMapping = .typed
    ) throws -> [String: CloudKitValue] {
        var values = try mapping.encode(try Record(id: id, fields: fields, metadata: metadata)).values
        #expect(values.removeValue(forKey: "nr_rest")?.kind == .bytes)
        return values
    }

    /// The record after another program has changed fields.
    private func changed(
        _ fields: Record.Fields, _ mapping: RecordMapping = .typed, _ change: (inout [String: CloudKitValue]) -> Void
    ) throws -> Record {
        var encoded = try mapping.encode(try Record(id: id, fields: fields, metadata: metadata))
        change(&encoded.values)
        return try #require(try mapping.decode(encoded, .later)).record
    }

    @Test func valuesHaveTheTypesOfCloudKit() throws {
        let place = try Location(latitude: 48.1, longitude: 11.5)
        let target = try Record.ID(type: "Person", name: "Ann:e")
        let date = Date(timeIntervalSinceReferenceDate: 0.25)
        let values = try encoded([
            "text": "a", "number": 7, "ratio": 0.5, "isOpen": true, "date": .date(date), "bytes": .bytes(Data([1])),
            "place": .location(place), "director": .reference(Record.Reference(to: target, action: .deleteSelf)),
            "names": ["a", "b"],
        ])
        #expect(
            values == [
                "text": .string("a"), "number": .integer(7), "ratio": .double(0.5), "isOpen": .integer(1),
                "date": .date(date),
                "bytes": .bytes(Data([1])), "place": .location(place), "names": .list([.string("a"), .string("b")]),
                "director": .reference(CloudKitReference(recordName: "Ann:e:Person", isOwned: false)),
            ])
    }

    @Test func ownersOwnInCloudKitIfActionsAreWritten() throws {
        let target = try Record.ID(type: "Person", name: "1")
        let fields: Record.Fields = ["director": .reference(Record.Reference(to: target, action: .deleteSelf))]
        let values = try encoded(fields, RecordMapping(naming: .typed, writesActions: true))
        #expect(values["director"] == .reference(CloudKitReference(recordName: "1:Person", isOwned: true)))
    }

    @Test func valuesThatCloudKitLacksAreNotNative() throws {
        let values = try encoded([
            "null": .null, "map": ["a": 1], "nested": [[1]], "mixed": [1, "a"], "empty": [], "nan": .double(.nan),
            "infinity": .double(.infinity), "two words": 1, "$version": 2, "_a": 3, "recordID": 4, "parent": 5,
            "distantPast": .date(Date(timeIntervalSinceReferenceDate: -1e18)),
        ])
        #expect(values.isEmpty)
    }

    /// A map of a user that looks like the place of an asset is stored as such.
    @Test func mapsThatLookLikeForeignValuesAreStored() throws {
        #expect(try changed(["photo": ["$cloudkit": "asset"]]) { _ in }.fields == ["photo": ["$cloudkit": "asset"]])
    }

    @Test func foreignValuesGoWithTheirFields() throws {
        let record = try Record(id: id, fields: ["a": 1, "photo": ["$cloudkit": "asset"]], metadata: metadata)
        var fields = try RecordMapping.typed.encode(record, over: ["photo": .foreign(.asset)])
        fields.values["photo"] = .foreign(.asset)
        #expect(try RecordMapping.typed.decode(fields, .later)?.record == record)
        fields.values["photo"] = nil
        let read = try #require(try RecordMapping.typed.decode(fields, .later)).record
        #expect(read.fields == ["a": 1] && read.metadata?.changeTag == "system")
    }

    /// A program with other options reads the same.
    @Test func untypedFieldsAreReadWithoutTheOption() throws {
        var mapping = RecordMapping.typed
        mapping.untyped = ["School.extra"]
        let record = try Record(id: id, fields: ["extra": "precious", "other": .double(3)], metadata: metadata)
        for (writer, reader) in [(mapping, RecordMapping.typed), (.typed, mapping)] {
            #expect(try reader.decode(writer.encode(record), .later)?.record == record)
        }
    }

    @Test func emptyListsOfOtherProgramsAreEmptyLists() throws {
        let fields = CloudKitFields(recordType: "School", recordName: "1:School", values: ["a": .foreign(.emptyList)])
        let record = try #require(try RecordMapping.typed.decode(fields, .later)).record
        #expect(record.fields == ["a": []])
        var saved = try RecordMapping.typed.encode(record.saved(as: metadata), over: fields.values)
        #expect(saved.values["a"] == nil)
        saved.values["a"] = .foreign(.emptyList)
        #expect(try RecordMapping.typed.decode(saved, .later)?.record == record.saved(as: metadata))
    }

    @Test func actionsThatOtherProgramsAddInListsAreRead() throws {
        let target = try Record.ID(type: "Person", name: "1")
        let record = try changed(["a": [.reference(Record.Reference(to: target, isLink: true))]]) {
            $0["a"] = .list([.reference(CloudKitReference(recordName: "1:Person", isOwned: true))])
        }
        #expect(record["a"] == [.reference(Record.Reference(to: target, action: .deleteSelf, isLink: true))])
    }

    @Test func untypedFieldsAreNotNative() throws {
        var mapping = RecordMapping.typed
        mapping.untyped = ["School.extra"]
        #expect(try encoded(["extra": 1, "other": 2], mapping) == ["other": .integer(2)])
        #expect(try changed(["extra": 1], mapping) { _ in }.fields == ["extra": 1])
    }

    @Test func changesOfOtherProgramsWin() throws {
        let record = try changed(["a": 1, "b": true, "c": .double(3), "d": "kept", "e": .null, "f": [[1]]]) { values in
            values["a"] = .integer(2)
            values["b"] = .integer(7)
            values["c"] = nil
            values["e"] = .string("new")
            values["g"] = .string("added")
        }
        #expect(record.fields == ["a": 2, "b": 7, "d": "kept", "e": "new", "f": [[1]], "g": "added"])
        #expect(record.metadata?.changeTag == "system")
    }

    @Test func aRecordOfOtherProgramsHasItsSystemFields() throws {
        let record = try changed(["a": 1]) { $0["nr_rest"] = nil }
        #expect(record.fields == ["a": 1])
        #expect(
            record.metadata
                == Record.Metadata(
                    changeTag: "system", creationDate: SystemFields.later.creationDate,
                    modificationDate: SystemFields.later.modificationDate))
    }

    @Test func aSaveThatChangesNothingOfTheRecordKeepsItsVersion() throws {
        let record = try Record(id: id, fields: ["a": 1], metadata: metadata)
        let (first, second) = (try RecordMapping.typed.encode(record), try RecordMapping.typed.encode(record))
        #expect(first.values["nr_rest"] != second.values["nr_rest"])
        #expect(try RecordMapping.typed.decode(second, .later)?.record == record)
    }

    @Test func theRestOfAnotherRecordIsIgnored() throws {
        let other = try Record(
            id: Record.ID(type: "School", name: "2"), fields: ["a": [[1]], "b": true], metadata: metadata)
        let rest = try RecordMapping.typed.encode(other).values["nr_rest"]
        let record = try changed(["b": true]) { $0["nr_rest"] = rest }
        #expect(record.fields == ["b": 1])
        #expect(record.metadata?.changeTag == "system")
    }

    @Test func damagedRestsAreIgnored() throws {
        let record = try Record(id: id, fields: ["a": 1, "b": [[1]]], metadata: metadata)
        let encoded = try RecordMapping.typed.encode(record)
        guard case .bytes(let whole)? = encoded.values["nr_rest"] else {
            Issue.record("there is no rest")
            return
        }
        var later = encoded
        later.values["nr_rest"] = .bytes(Data([2]) + whole.dropFirst())
        #expect(throws: RecordDatabaseError.self) { try RecordMapping.typed.decode(later, .later) }
        for count in 0..<whole.count {
            var cut = encoded
            cut.values["nr_rest"] = .bytes(whole.prefix(count))
            #expect(try RecordMapping.typed.decode(cut, .later)?.record.fields == ["a": 1])
        }
        var other = encoded
        other.values["nr_rest"] = .string("text")
        #expect(try RecordMapping.typed.decode(other, .later)?.record.fields == ["a": 1])
    }

    @Test func ownershipThatAnotherProgramAddsIsRead() throws {
        let target = try Record.ID(type: "Person", name: "1")
        let record = try changed(["a": .reference(Record.Reference(to: target, isLink: true))]) {
            $0["a"] = .reference(CloudKitReference(recordName: "1:Person", isOwned: true))
        }
        #expect(record["a"] == .reference(Record.Reference(to: target, action: .deleteSelf, isLink: true)))
    }

    @Test func foreignValuesAreKeptApart() throws {
        let record = try changed(["a": 1]) { $0["photo"] = .foreign(.asset) }
        #expect(record["photo"] == ["$cloudkit": "asset"])
    }

    @Test func targetsOfPlainNamesAreDeclared() throws {
        let mapping = RecordMapping(naming: .plain(targets: ["School.director": "Person"]), writesActions: false)
        let fields = CloudKitFields(
            recordType: "School", recordName: "1",
            values: ["director": .reference(CloudKitReference(recordName: "p", isOwned: false))])
        let record = try #require(try mapping.decode(fields, .later)).record
        #expect(record["director"] == .reference(Record.Reference(to: try Record.ID(type: "Person", name: "p"))))
        let error = #expect(throws: RecordError.self) { try RecordMapping.plain.decode(fields, .later) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.description.contains("'director'") == true)
    }

    @Test func plainReferencesOfThisLibraryHaveTheirTypes() throws {
        let target = try Record.ID(type: "Person", name: "p")
        let record = try changed(["director": .reference(Record.Reference(to: target))], .plain) { _ in }
        #expect(record["director"] == .reference(Record.Reference(to: target)))
    }

    @Test func assetsAreRefused() throws {
        let asset = try RecordAsset(hash: String(repeating: "0", count: 64), size: 1)
        let error = #expect(throws: RecordDatabaseError.self) { try encoded(["photo": .asset(asset)]) }
        #expect(error?.code == .unsupported && error?.context.field == "photo")
    }

    @Test(arguments: [
        ("School", "School"), ("Module.School", "NRx_Module_dSchool"), ("Users", "NRx_Users"), ("NRx_A", "NRx_NRx__A"),
        ("a_b", "a_b"), ("NestedRecords.Link", "NRx_NestedRecords_dLink"),
    ])
    func typesHaveLettersDigitsAndUnderscores(_ type: String, _ recordType: String) {
        #expect(CloudKitNaming.recordType(of: type) == recordType)
        #expect(CloudKitNaming.type(ofRecordType: recordType) == type)
    }

    @Test(arguments: ["cloudkit.share", "Users", "NRx_A", "NRx_A_b", "NRx_A_"])
    func typesOfTheSystemAndOtherSpellingsAreNotRecords(_ recordType: String) {
        #expect(CloudKitNaming.type(ofRecordType: recordType) == nil)
    }

    @Test(arguments: [("1", "1:School"), ("_a", "%5Fa:School"), ("é%:", "%C3%A9%25::School"), ("a_b", "a_b:School")])
    func namesArePrintable(_ name: String, _ recordName: String) throws {
        let id = try Record.ID(type: "School", name: name)
        #expect(CloudKitNaming.typed.recordName(of: id) == recordName)
        #expect(CloudKitNaming.typed.id(ofRecordName: recordName, recordType: "School") == id)
    }

    @Test(arguments: ["1", ":School", "%61:School", "%C3:School", "%:School", "1:Person"])
    func otherSpellingsAreNotNames(_ recordName: String) {
        #expect(CloudKitNaming.typed.id(ofRecordName: recordName, recordType: "School") == nil)
    }

    @Test func plainNamesAreAsTheyAre() throws {
        let plain = CloudKitNaming.plain(targets: [:])
        #expect(plain.recordName(of: try Record.ID(type: "School", name: "50%:a")) == "50%:a")
        for name in ["é", "_a", String(repeating: "a", count: 255)] {
            let fault = plain.fault(of: try Record.ID(type: "School", name: name))
            #expect((fault == nil) == (name.utf8.count == 255))
        }
    }

    @Test func longNamesAreRefused() throws {
        let long = try Record.ID(type: "School", name: String(repeating: "a", count: 250))
        #expect(CloudKitNaming.typed.fault(of: long)?.contains("257") == true)
    }
}
