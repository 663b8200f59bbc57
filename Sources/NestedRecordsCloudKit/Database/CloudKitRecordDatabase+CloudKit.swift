#if canImport(CloudKit)
public import CloudKit
import NestedRecords

extension CloudKitRecordDatabase {
    /// Makes a database in a zone of the user's private database; no request is sent before the first call.
    ///
    /// - Parameters:
    ///   - container: The container of the app.
    ///   - options: How the records are in CloudKit.
    public init(_ container: CKContainer, options: Options = Options()) {
        self.init(
            container, container.privateCloudDatabase,
            zone: CKRecordZone.ID(zoneName: options.zone, ownerName: CKCurrentUserDefaultName), "private",
            options: options)
    }

    /// Makes a database in a zone that another user shares with this one.
    ///
    /// The public database has no zones with atomic batches and changes, so that it cannot be used.
    ///
    /// - Parameters:
    ///   - zone: The zone, as it is in the shared database.
    ///   - container: The container of the app.
    ///   - options: How the records are in CloudKit; the name of the zone in it is not used.
    public init(sharedZone zone: CKRecordZone.ID, in container: CKContainer, options: Options = Options()) {
        self.init(container, container.sharedCloudDatabase, zone: zone, "shared", options: options)
    }

    private init(
        _ container: CKContainer, _ database: CKDatabase, zone: CKRecordZone.ID, _ scope: String, options: Options
    ) {
        let names = [container.containerIdentifier ?? "", scope, zone.ownerName, zone.zoneName]
        self.init(
            CKDatabasePort(container, database, zone: zone), store: names.joined(separator: "/"), options: options)
    }
}
#endif
