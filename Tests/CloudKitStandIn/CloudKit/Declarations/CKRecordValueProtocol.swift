import CoreLocation
import Foundation

/// Page: cloudkit/ckrecordvalueprotocol.
///
/// The pages list only `CKAsset` and `CKRecord.Reference` as conforming. The others are those of the Swift overlay's
/// interface of 2018.
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 3.0, *)
public protocol CKRecordValueProtocol {}

/// Page: cloudkit/ckrecordvalue-swift.typealias.
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 3.0, *)
public typealias CKRecordValue = __CKRecordObjCValue

/// Page: cloudkit/ckrecordvalue-c.protocol [not verified].
@available(macOS 10.10, iOS 8.0, watchOS 3.0, *)
public protocol __CKRecordObjCValue: NSObjectProtocol {}

extension NSString: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSNumber: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSArray: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSDate: __CKRecordObjCValue, CKRecordValueProtocol {}
extension NSData: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CKRecord.Reference: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CKAsset: __CKRecordObjCValue, CKRecordValueProtocol {}
extension CLLocation: __CKRecordObjCValue, CKRecordValueProtocol {}

extension String: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}
extension Bool: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Float: CKRecordValueProtocol {}
extension Int: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
