import Foundation

/// Page: cloudkit/ckrecordzone [differs: without NSSecureCoding].
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKRecordZone: NSObject, NSCopying, Sendable {
    /// Page: cloudkit/ckrecordzone/zoneid.
    public let zoneID: CKRecordZone.ID

    /// Page: cloudkit/ckrecordzone/capabilities-swift.property.
    public let capabilities: Capabilities

    /// Page: cloudkit/ckrecordzone/init(zoneid:).
    public convenience init(zoneID: CKRecordZone.ID) { self.init(zoneID: zoneID, capabilities: []) }

    /// Page: cloudkit/ckrecordzone/init(zonename:).
    public convenience init(zoneName: String) { self.init(zoneID: CKRecordZone.ID(zoneName: zoneName)) }

    /// Page: cloudkit/ckrecordzone/default().
    public class func `default`() -> CKRecordZone { CKRecordZone(zoneID: .default) }

    /// A zone as the server knows it: a zone that was not saved has no capabilities yet.
    init(zoneID: CKRecordZone.ID, capabilities: Capabilities) {
        (self.zoneID, self.capabilities) = (zoneID, capabilities)
    }

    /// Page: foundation/nscopying/copy(with:).
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Page: cloudkit/ckrecordzone/capabilities-swift.struct.
    public struct Capabilities: OptionSet, Sendable {
        /// Page: cloudkit/ckrecordzone/capabilities-swift.struct/init(rawvalue:).
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Page: swift/rawrepresentable/rawvalue.
        public let rawValue: UInt

        /// Page: cloudkit/ckrecordzone/capabilities-swift.struct/fetchchanges [not verified: its raw value].
        public static let fetchChanges = Capabilities(rawValue: 1)

        /// Page: cloudkit/ckrecordzone/capabilities-swift.struct/atomic [not verified: its raw value].
        public static let atomic = Capabilities(rawValue: 2)

        /// Page: cloudkit/ckrecordzone/capabilities-swift.struct/sharing [not verified: its raw value].
        @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, *)
        public static let sharing = Capabilities(rawValue: 4)

        /// Page: cloudkit/ckrecordzone/capabilities-swift.struct/zonewidesharing [not verified: its raw value].
        @available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
        public static let zoneWideSharing = Capabilities(rawValue: 8)
    }
}
