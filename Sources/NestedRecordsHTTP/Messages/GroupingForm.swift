@_spi(Engines) import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A grouping in a message: a path, or an object with the path, the part of a date and the identifier of the time zone.
enum GroupingForm {
    static func value(of grouping: RecordGrouping) -> Record.Value {
        let path = QueryForm.value(of: grouping.path)
        guard let part = grouping.part else { return path }
        return .map(["path": path, "part": .string(part.rawValue), "zone": .string(grouping.zone.identifier)])
    }

    static func grouping(_ value: Record.Value) throws -> RecordGrouping? {
        guard let map = value.members else { return try QueryForm.path(value).map { RecordGrouping($0) } }
        guard let path = try map.optional("path", QueryForm.path),
            let part = RecordGrouping.DatePart(rawValue: try map.text("part"))
        else { return nil }
        let identifier = try map.text("zone")
        guard let zone = TimeZone(identifier: identifier) else {
            throw MalformedMessage("the time zone \(Record.Value.string(identifier)) is unknown")
        }
        return RecordGrouping(path, part, in: zone)
    }
}
