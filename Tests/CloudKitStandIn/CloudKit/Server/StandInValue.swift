import CoreLocation
import Foundation

/// The value of a field.
///
/// The types: https://developer.apple.com/documentation/cloudkit/ckrecord#Supported-Data-Types
indirect enum StandInValue: Sendable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case date(Date)
    case bytes(Data)
    case location(CLLocation)
    case reference(CKRecord.Reference)
    case asset(CKAsset)
    case list([StandInValue])

    /// A value that `CKRecord` takes and no save does, with the reason.
    case invalid(String)

    init(_ object: any __CKRecordObjCValue) {
        switch object {
        case let text as NSString: self = .string(String(describing: text))
        case let number as NSNumber: self = StandInValue(number)
        case let date as NSDate: self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as NSData: self = .bytes(Data(referencing: data))
        case let location as CLLocation: self = .location(location)
        case let reference as CKRecord.Reference: self = .reference(reference)
        case let asset as CKAsset: self = .asset(asset)
        case let list as NSArray:
            self = .list(
                list.map { item in
                    guard let value = item as? any CKRecordValueProtocol else { return .invalid("\(type(of: item))") }
                    return StandInValue(Self.object(value))
                })
        default: self = .invalid("\(type(of: object))")
        }
    }

    private init(_ number: NSNumber) {
        switch String(cString: number.objCType) {
        case "d", "f": self = .double(number.doubleValue)
        case "Q" where number.uint64Value > Int64.max: self = .invalid("integer beyond 64 bits with a sign")
        default: self = .integer(number.int64Value)
        }
    }

    /// The Objective-C object of a Swift value, as bridging makes it on Apple's systems.
    static func object(_ value: any CKRecordValueProtocol) -> any __CKRecordObjCValue {
        switch value {
        case let object as any __CKRecordObjCValue: object
        case let text as String: NSString(string: text)
        case let date as Date: NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case let data as Data: NSData(data: data)
        case let flag as Bool: NSNumber(value: flag)
        case let number as Double: NSNumber(value: number)
        case let number as Float: NSNumber(value: number)
        case let number as UInt64: NSNumber(value: number)
        case let number as UInt: NSNumber(value: UInt64(number))
        case let number as any BinaryInteger: NSNumber(value: Int64(number))
        case let list as [any CKRecordValueProtocol]: NSArray(array: list.map(object))
        default: preconditionFailure("CloudKit has no values of type \(type(of: value))")
        }
    }

    var object: any __CKRecordObjCValue {
        switch self {
        case .string(let text): NSString(string: text)
        case .integer(let number): NSNumber(value: number)
        case .double(let number): NSNumber(value: number)
        case .date(let date): NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        case .bytes(let data): NSData(data: data)
        case .location(let location): location
        case .reference(let reference): reference
        case .asset(let asset): asset
        case .list(let values): NSArray(array: values.map(\.object))
        case .invalid(let reason): NSString(string: reason)
        }
    }

    /// The type of the field in the schema, or nil for a value that no save takes.
    ///
    /// A number that adds a field makes it NUMBER, which takes both kinds of numbers:
    /// https://developer.apple.com/documentation/cloudkit/integrating-a-text-based-schema-into-your-workflow
    var fieldType: String? {
        switch self {
        case .string: return "STRING"
        case .integer: return "NUMBER"
        // Not documented: refused, so that no caller relies on it. [not verified]
        case .double(let number): return number.isFinite ? "NUMBER" : nil
        case .date: return "TIMESTAMP"
        case .bytes: return "BYTES"
        case .location: return "LOCATION"
        case .reference: return "REFERENCE"
        case .asset: return "ASSET"
        case .list(let values):
            // There are lists of one primitive type, none of lists. That an empty one is an error is reported at
            // https://techqa.club/v/q/swift-cloudkit-after-record-changed-upload-triggers-service-record-changed-39156145
            let types = Set(values.map(\.fieldType))
            guard types.count == 1, let type = types.first ?? nil, !type.hasPrefix("LIST") else { return nil }
            return "LIST<\(type)>"
        case .invalid: return nil
        }
    }

    /// The size for the limits, without assets; how the server counts is not documented.
    var size: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .bytes(let data): data.count
        case .reference(let reference): reference.recordID.recordName.utf8.count
        case .list(let values): values.reduce(0) { $0 + $1.size }
        case .asset: 0
        default: 8
        }
    }

    var references: [CKRecord.Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let values): values.flatMap(\.references)
        default: []
        }
    }

    /// The value with each asset, and each date, replaced.
    func mapped(_ asset: (CKAsset) throws -> CKAsset, date change: (Date) -> Date = { $0 }) rethrows -> StandInValue {
        switch self {
        case .asset(let old): .asset(try asset(old))
        case .date(let old): .date(change(old))
        case .list(let values): .list(try values.map { try $0.mapped(asset, date: change) })
        default: self
        }
    }
}
