import Foundation
import NestedRecords

extension RecordDatabaseRequirement {
    static let metadata = [
        RecordDatabaseRequirement("gives a new tag with every save") { database in
            var tags: Set<String> = []
            var record = try Record.sample("a")
            for policy in SavePolicy.allCases + SavePolicy.allCases {
                // Saved again unchanged: a new version even without new content.
                record = try await database.saved(record, savePolicy: policy)
                let tag = try unwrap(record.metadata?.changeTag, "the record has no tag")
                try expect(tags.insert(tag).inserted, "the tag '\(tag)' was given twice")
            }
        },
        RecordDatabaseRequirement("gives a new tag to a record that was deleted and saved again") { database in
            let first = try await database.saved(Record.sample("a"))
            try await database.delete(first.id)
            let second = try await database.saved(first.withoutMetadata)
            try expect(first.metadata?.changeTag != second.metadata?.changeTag, "both versions have one tag")
        },
        RecordDatabaseRequirement("keeps the creation date") { database in
            let first = try await database.saved(Record.sample("a"))
            var claiming = first.with(text: "second")
            claiming.metadata?.creationDate = Date(timeIntervalSinceReferenceDate: 0)
            for record in [first.withoutMetadata, claiming] {
                let second = try await database.saved(record, savePolicy: .overwrite)
                try expect(
                    second.metadata?.creationDate == first.metadata?.creationDate,
                    "the record was created twice, by the dates of its metadata")
                try await database.expectHolds(second)
            }
        },
        RecordDatabaseRequirement("never sets the modification date back") { database in
            var record = try await database.saved(Record.sample("a"))
            for round in 1...5 {
                let before = try unwrap(record.metadata, "the record has no metadata")
                try expect(
                    before.modificationDate >= before.creationDate, "the record was modified before it was created")
                record = try await database.saved(record.with(text: "\(round)"))
                let after = try unwrap(record.metadata, "the record has no metadata")
                try expect(after.modificationDate >= before.modificationDate, "a later save has an earlier date")
            }
        },
        RecordDatabaseRequirement("fills in server timestamps with the modification date") { database in
            var record = try Record.sample("a")
            for _ in 1...2 {
                record["time"] = .serverTimestamp
                record["times"] = [.serverTimestamp, ["deep": [["time": .serverTimestamp]]], .null]
                let saved = try await database.saved(record)
                let metadata = try unwrap(saved.metadata, "the record has no metadata")
                let date = Record.Value.date(metadata.modificationDate)
                record = saved
                record["time"] = date
                record["times"] = [date, ["deep": [["time": date]]], .null]
                try await database.expectHolds(record)
            }
        },
        RecordDatabaseRequirement("sets metadata of its own whatever the record to save claims") { database in
            let claimed = Date(timeIntervalSinceReferenceDate: -1e9)
            var record = try Record.sample("a")
            record.metadata = Record.Metadata(changeTag: "claimed", creationDate: claimed, modificationDate: claimed)
            let saved = try await database.saved(record, savePolicy: .overwrite)
            let metadata = try unwrap(saved.metadata, "the record has no metadata")
            try expect(metadata.changeTag != "claimed", "the tag was taken from the record to save")
            try expect(metadata.creationDate != claimed, "the creation date was taken from the record to save")
            try expect(metadata.modificationDate != claimed, "the modification date was taken from the record to save")
            try await database.expectHolds(saved)
        },
    ]
}
