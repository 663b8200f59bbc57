import Foundation
import TestSupport
import Testing

@testable import HTTPTestSupport
@testable import NestedRecords
@testable import NestedRecordsFirestore

struct RandomValueTests {
    /// As many values as `FIRESTORE_VALUES` in the environment says.
    @Test func whatIsReadIsWhatWasSaved() throws {
        var random = RandomRecord(seed: Sweep.seed)
        let id = try Record.ID(type: "Sample", name: "a")
        var count = 0
        let stated = ProcessInfo.processInfo.environment["FIRESTORE_VALUES"].flatMap { Int($0) }
        let wanted = stated ?? Sweep.count(2_000, whole: 1_000_000)
        while count < wanted {
            var record = try Record(id: id, fields: random.record().fields)
            record.metadata = nil
            let read = try StoredForm.readBack(record)
            let metadata = try #require(read.metadata)
            let expected = record.saved(as: metadata)
            #expect(read.isIdentical(to: expected), "seed \(Sweep.seed), record \(count): \(record)")
            count += max(1, record.fields.count)
        }
        if stated != nil { print("\(count) values were read as they were saved (seed \(Sweep.seed))") }
    }

    @Test func anotherSaveOfWhatWasReadWritesTheSame() throws {
        var random = RandomRecord(seed: Sweep.seed &+ 1)
        let id = try Record.ID(type: "Sample", name: "a")
        for _ in 0..<100 {
            let first = try StoredForm.readBack(try Record(id: id, fields: random.record().fields))
            let names = try StoredForm.names()
            let written = try DocumentEncoder.document(of: first, save: "mark", names)
            let second = try StoredForm.readBack(first)
            let again = try DocumentEncoder.document(of: second, save: "mark", names)
            let fields = try [written, again].map {
                try StandInValue.fields(try StandInJSON($0.fields.bytes), depth: 0)
            }
            #expect(second.isIdentical(to: first))
            #expect(StandInValue.areSame(fields[0].withoutExact, fields[1].withoutExact))
        }
    }
}

extension [StandInName: StandInValue] {
    /// Without the text of the exact values, whose order is that of the fields.
    fileprivate var withoutExact: Self {
        var fields = self
        guard case .map(var shadow)? = fields[StandInName("$nr")] else { return fields }
        shadow[StandInName("exact")] = nil
        shadow[StandInName("refs")] = nil
        fields[StandInName("$nr")] = .map(shadow)
        return fields
    }
}
