import Foundation

/// Page: cloudkit/ckrecordkeyvaluesetting [differs: without the subscript of objects].
///
/// Its `subscript(_:)` of `__CKRecordObjCValue` is left out: without Objective-C the compiler warns that a cast of such
/// a value to `String` fails. Code that states the type of the value compiles with both.
@available(macOS 10.11, iOS 9.0, tvOS 9.0, watchOS 3.0, visionOS 1.0, *)
public protocol CKRecordKeyValueSetting: NSObjectProtocol {
    /// Page: cloudkit/ckrecordkeyvaluesetting/object(forkey:).
    func object(forKey key: String) -> (any __CKRecordObjCValue)?

    /// Page: cloudkit/ckrecordkeyvaluesetting/setobject(_:forkey:).
    func setObject(_ object: (any __CKRecordObjCValue)?, forKey key: String)

    /// Page: cloudkit/ckrecordkeyvaluesetting/allkeys().
    func allKeys() -> [String]

    /// Page: cloudkit/ckrecordkeyvaluesetting/changedkeys().
    func changedKeys() -> [String]
}

@available(macOS 10.11, iOS 9.0, watchOS 3.0, *)
extension CKRecordKeyValueSetting {
    /// Page: cloudkit/ckrecordkeyvaluesetting/subscript(_:), of the overlay's interface of 2018 [not verified].
    public subscript<T>(key: CKRecord.FieldKey) -> T? where T: CKRecordValueProtocol {
        get { object(forKey: key) as? T }
        set { setObject(newValue.map(StandInValue.object), forKey: key) }
    }

    /// Page: cloudkit/ckrecordkeyvaluesetting/subscript(_:), of the overlay's interface of 2018 [not verified].
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) as? any CKRecordValueProtocol }
        set { setObject(newValue.map(StandInValue.object), forKey: key) }
    }
}
