#if canImport(CloudKit)
import CloudKit
import CoreLocation
import Foundation
import NestedRecords

extension CloudKitValue {
    /// The value of an object of CloudKit.
    init(_ object: some Any) {
        switch object {
        case let text as NSString: self = .string(String(text))
        case let number as NSNumber:
            let type = number.objCType.pointee
            let isDouble = type == CChar(UInt8(ascii: "d")) || type == CChar(UInt8(ascii: "f"))
            self = isDouble ? .double(number.doubleValue) : .integer(number.int64Value)
        case let date as NSDate:
            self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as NSData: self = .bytes(Data(referencing: data))
        case let reference as CKRecord.Reference:
            self = .reference(
                CloudKitReference(
                    recordName: reference.recordID.recordName, isOwned: reference.action == .deleteSelf))
        case let place as CLLocation:
            let (latitude, longitude) = (place.coordinate.latitude, place.coordinate.longitude)
            let location = try? Location(latitude: latitude, longitude: longitude)
            self = location.map { .location($0) } ?? .foreign(.location)
        case let array as NSArray:
            let values = array.map { CloudKitValue($0) }
            let isForeign = values.contains { $0.kind == .foreign }
            self = values.isEmpty ? .foreign(.emptyList) : isForeign ? .foreign(.list) : .list(values)
        case is CKAsset: self = .foreign(.asset)
        default: self = .foreign(.other)
        }
    }

    /// The object of CloudKit; nil for a value that only CloudKit makes.
    func object(in zone: CKRecordZone.ID) -> (any __CKRecordObjCValue)? {
        switch self {
        case .string(let value): NSString(string: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .date(let value): NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
        case .bytes(let value): NSData(data: value)
        case .location(let value): CLLocation(latitude: value.latitude, longitude: value.longitude)
        case .reference(let value):
            CKRecord.Reference(
                recordID: CKRecord.ID(recordName: value.recordName, zoneID: zone),
                action: value.isOwned ? .deleteSelf : .none)
        case .list(let values): NSArray(array: values.compactMap { $0.object(in: zone) })
        // A file needs a place on the disk.
        case .file, .foreign: nil
        }
    }
}
#endif
