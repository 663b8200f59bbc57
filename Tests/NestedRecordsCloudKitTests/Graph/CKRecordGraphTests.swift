#if canImport(CloudKit) && os(Linux)
import CloudKit
import CoreLocation
import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

/// The model in the README of NestedCloudKitCodable, through records of CloudKit and back.
struct CKRecordGraphTests {
    private struct Person: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var name: String
        var birthDate: Date
    }

    private struct Book: RecordCodable, Identifiable, Equatable {
        @RecordName var id: String
        var title: String
        var pageCount: Int
    }

    private struct School: RecordCodable, Identifiable, Equatable {
        static let schema = RecordSchema(ignoring: ["cache"])
        @RecordName var id: String
        var name: String
        var location: Location
        var students: [Person]
        var director: Person
        var books: [Book]
        var cache: Int?
    }

    private let targets = ["School.students": "Person", "School.director": "Person", "School.books": "Book"]
    private let school: School
    private let database: CKDatabase
    private let zone = CKRecordZone.ID(zoneName: "Schools", ownerName: CKCurrentUserDefaultName)

    init() async throws {
        let ann = Person(id: "ann", name: "Ann", birthDate: Date(timeIntervalSinceReferenceDate: 1.25))
        school = School(
            id: "hill", name: "Hill", location: try Location("48.1;11.5"),
            students: [ann, Person(id: "bo", name: "Bo", birthDate: Date(timeIntervalSinceReferenceDate: 0))],
            director: ann, books: [Book(id: "1", title: "One", pageCount: 100)])
        database = StandInCloud().container(user: "ann").privateCloudDatabase
        _ = try await database.modifyRecordZones(saving: [CKRecordZone(zoneID: zone)], deleting: [])
    }

    @Test(arguments: [CloudKitNaming.plain(targets: [:]), .typed])
    func schoolComesBackFromRecordsOfCloudKit(_ naming: CloudKitNaming) async throws {
        let records = try RecordEncoder().encode(school).ckRecords(in: zone, naming: naming)
        #expect(records.count == 4, "a shared person is one record")
        _ = try await database.modifyRecords(saving: records, deleting: [])
        let name = naming == .typed ? "hill:School" : "hill"
        let record = try await database.record(for: CKRecord.ID(recordName: name, zoneID: zone))
        #expect(record.object(forKey: "location") is CLLocation)
        #expect((record.object(forKey: "students") as? NSArray)?.count == 2)
        #expect(record.object(forKey: "cache") == nil, "an ignored property is not stored")
        let found = try await RecordDecoder().decode(School.self, from: record, in: database, naming: naming)
        #expect(found == school)
    }

    /// References without actions and without types, locations as such: what NestedCloudKitCodable writes.
    @Test func recordsOfNestedCloudKitCodableAreRead() async throws {
        try await saveAsOthersDo(location: CLLocation(latitude: 48.1, longitude: 11.5))
        try await expectSchool()
    }

    /// Strings in the place of locations: what a model without native locations writes.
    @Test func locationsThatAreStringsAreRead() async throws {
        try await saveAsOthersDo(location: NSString(string: "48.1;11.5"))
        try await expectSchool()
    }

    private func saveAsOthersDo(location: any __CKRecordObjCValue) async throws {
        func record(_ type: String, _ name: String, _ values: [String: any __CKRecordObjCValue]) -> CKRecord {
            let record = CKRecord(recordType: type, recordID: CKRecord.ID(recordName: name, zoneID: zone))
            for (key, value) in values { record.setObject(value, forKey: key) }
            return record
        }
        func reference(_ name: String) -> CKRecord.Reference {
            CKRecord.Reference(recordID: CKRecord.ID(recordName: name, zoneID: zone), action: .none)
        }
        let people = (school.students).map {
            record(
                "Person", $0.id,
                [
                    "name": NSString(string: $0.name),
                    "birthDate": NSDate(timeIntervalSinceReferenceDate: $0.birthDate.timeIntervalSinceReferenceDate),
                ])
        }
        let book = record("Book", "1", ["title": NSString(string: "One"), "pageCount": NSNumber(value: 100)])
        let root = record(
            "School", "hill",
            [
                "name": NSString(string: "Hill"), "location": location,
                "students": NSArray(array: [reference("ann"), reference("bo")]), "director": reference("ann"),
                "books": NSArray(array: [reference("1")]),
            ])
        _ = try await database.modifyRecords(saving: people + [book, root], deleting: [])
    }

    private func expectSchool() async throws {
        let record = try await database.record(for: CKRecord.ID(recordName: "hill", zoneID: zone))
        let found = try await RecordDecoder().decode(
            School.self, from: record, in: database, naming: .plain(targets: targets))
        #expect(found == school)
    }

    @Test func namesThatCloudKitRefusesAreErrors() throws {
        let person = Person(id: "Zoë", name: "Zoë", birthDate: Date())
        let error = #expect(throws: RecordError.self) { try RecordEncoder().encode(person).ckRecords() }
        #expect(error?.code == .invalidID)
        #expect(
            try RecordEncoder().encode(person).ckRecords(naming: .typed).map(\.recordID.recordName) == [
                "Zo%C3%AB:Person"
            ])
    }

    @Test func namesOfTwoTypesAreErrorsWithPlainNaming() throws {
        let records = try [Record(id: Record.ID(type: "A", name: "1")), Record(id: Record.ID(type: "B", name: "1"))]
        let graph = try RecordGraph(records)
        let error = #expect(throws: RecordError.self) { try graph.ckRecords() }
        #expect(error?.code == .invalidID)
        #expect(try graph.ckRecords(naming: .typed).count == 2)
    }

    @Test func recordsOfOtherNamingsAreErrors() async throws {
        let records = try RecordEncoder().encode(school).ckRecords(in: zone)
        let error = await #expect(throws: RecordError.self) {
            try await RecordDecoder().decode(School.self, from: records[0], in: database, naming: .typed)
        }
        #expect(error?.code == .invalidResponse)
    }
}
#endif
