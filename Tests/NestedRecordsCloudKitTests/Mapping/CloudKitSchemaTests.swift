import Foundation
import NestedRecordsCloudKit
import Testing

@testable import NestedRecords

struct CloudKitSchemaTests {
    @Test func schemaHasTheTypesOfFields() throws {
        let person = try Record.ID(type: "App.Person", name: "1")
        let records = [
            try Record(
                id: Record.ID(type: "School", name: "1"),
                fields: [
                    "name": "a", "count": 1, "changed": .serverTimestamp, "ratio": 0.5, "isOpen": true,
                    "date": .date(Date()),
                    "icon": .bytes(Data()),
                    "place": .location(try Location(latitude: 1, longitude: 1)),
                    "director": .reference(Record.Reference(to: person)), "words": ["a"], "map": ["a": 1],
                ]),
            try Record(id: person, fields: ["age": 40]),
        ]
        #expect(
            try CloudKitSchema(of: records).description == """
                DEFINE SCHEMA

                    RECORD TYPE NRGuard (
                        number INT64,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE TO "_icloud",
                        GRANT READ TO "_world"
                    );

                    RECORD TYPE NRx_App_dPerson (
                        age INT64,
                        nr_rest BYTES,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE TO "_icloud",
                        GRANT READ TO "_world"
                    );

                    RECORD TYPE School (
                        changed TIMESTAMP,
                        count INT64,
                        date TIMESTAMP,
                        director REFERENCE,
                        icon BYTES,
                        isOpen INT64,
                        name STRING,
                        nr_rest BYTES,
                        place LOCATION,
                        ratio DOUBLE,
                        words LIST<STRING>,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE TO "_icloud",
                        GRANT READ TO "_world"
                    );

                """)
    }

    @Test func schemaHasTheTypesOfAssets() throws {
        let asset = try RecordAsset(hash: String(repeating: "0", count: 64), size: 1)
        let record = try Record(id: Record.ID(type: "School", name: "1"), fields: ["photo": .asset(asset)])
        let text = try CloudKitSchema(of: [record]).description
        for type in ["Asset", "AssetUpload", "AssetChunks", "AssetPart"] {
            #expect(text.contains("RECORD TYPE NRx_NestedRecords_d\(type) ("))
        }
    }

    @Test func fieldsOfSeveralTypesAreRefused() throws {
        let records = try [Record.Value.int(1), "a"].enumerated().map { number, value in
            try Record(id: Record.ID(type: "School", name: "\(number)"), fields: ["a": value])
        }
        let error = #expect(throws: RecordError.self) { try CloudKitSchema(of: records) }
        #expect(error?.code == .invalidSchema && error?.context.field == "a")
        #expect(try !CloudKitSchema(of: records, untyped: ["School.a"]).description.contains(" a "))
    }
}
