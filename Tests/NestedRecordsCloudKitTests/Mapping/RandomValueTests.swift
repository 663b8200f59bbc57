import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsCloudKit

struct RandomValueTests {
    @Test(arguments: [RecordMapping.typed, .plain])
    func whatIsReadIsWhatWasSaved(_ mapping: RecordMapping) throws {
        var random = RandomRecord(seed: Sweep.seed)
        let id = try Record.ID(type: "Sample", name: "a")
        var count = 0
        let wanted = Sweep.count(2_000, whole: 1_000_000)
        while count < wanted {
            let metadata = Record.Metadata(
                changeTag: "tag \(count)", creationDate: Date(timeIntervalSinceReferenceDate: 0.1),
                modificationDate: Date(timeIntervalSinceReferenceDate: Double(count) / 3))
            let record = try Record(id: id, fields: random.record().fields).saved(as: metadata)
            let read = try #require(try mapping.decode(mapping.encode(record).coarse, .later)).record
            #expect(read.isIdentical(to: record), "seed \(Sweep.seed), record \(count): \(record)")
            count += max(1, record.fields.count)
        }
    }

    @Test func everyRecordHasItsOwnName() throws {
        var random = RandomRecord(seed: Sweep.seed &+ 1)
        var seen: [String: Record.ID] = [:]
        for _ in 0..<2_000 {
            let id = try random.record().id
            if CloudKitNaming.typed.fault(of: id) != nil { continue }
            let (name, type) = (CloudKitNaming.typed.recordName(of: id), CloudKitNaming.recordType(of: id.type))
            #expect(CloudKitNaming.typed.id(ofRecordName: name, recordType: type) == id)
            #expect(seen.updateValue(id, forKey: name) ?? id == id)
            #expect(name.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !name.hasPrefix("_"))
            #expect(CloudKitNaming.canName(field: type), "a type has the characters of a field's name")
        }
    }
}

extension RecordMapping {
    static let typed = RecordMapping(naming: .typed, writesActions: false)
    static let plain = RecordMapping(naming: .plain(targets: [:]), writesActions: true)
}

extension SystemFields {
    /// System fields of another save.
    static let later = SystemFields(
        changeTag: "system", creationDate: Date(timeIntervalSinceReferenceDate: 1),
        modificationDate: Date(timeIntervalSinceReferenceDate: 2))
}

extension CloudKitFields {
    /// The fields as a store with coarse values returns them.
    var coarse: CloudKitFields {
        var fields = self
        fields.values = values.mapValues(\.coarse)
        return fields
    }
}

extension CloudKitValue {
    /// The value with milliseconds, with other last places, and without a difference between 3 and 3.0, and 0 and -0.
    fileprivate var coarse: CloudKitValue {
        switch self {
        case .date(let date):
            .date(Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000))
        case .double(let value): Int64(exactly: value).map { .integer($0) } ?? .double(value.nextDown)
        case .location(let location):
            .location(
                Location(clampingLatitude: location.latitude.nextUp + 0, longitude: location.longitude.nextDown + 0))
        case .list(let values): .list(values.map(\.coarse))
        default: self
        }
    }
}
