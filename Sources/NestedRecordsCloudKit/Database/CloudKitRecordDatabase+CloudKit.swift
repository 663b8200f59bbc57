#if canImport(CloudKit)
public import CloudKit
import NestedRecords

extension CloudKitRecordDatabase {
    /// Makes a database in a zone of the user's private database; no request is sent before the first call.
    ///
    /// - Parameters:
    ///   - container: The container of the app.
    ///   - options: How the records are in CloudKit.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for a name that a zone cannot have.
    public init(_ container: CKContainer, options: Options = Options()) throws {
        try options.checkZone()
        self.init(
            container, container.privateCloudDatabase,
            zone: CKRecordZone.ID(zoneName: options.zone, ownerName: CKCurrentUserDefaultName), "private",
            options: options)
    }

    /// Makes a database in a zone that another user shares with this one.
    ///
    /// - Parameters:
    ///   - zone: The zone, as it is in the shared database.
    ///   - container: The container of the app.
    ///   - options: How the records are in CloudKit; the name of the zone in it is not used.
    public init(sharedZone zone: CKRecordZone.ID, in container: CKContainer, options: Options = Options()) {
        self.init(container, container.sharedCloudDatabase, zone: zone, "shared", options: options)
    }

    /// Makes a database of the container's public database.
    ///
    /// It has no batches of several records, no conditions, no versions of deletions and no feed; lists and queries do not
    /// see the newest saves.
    ///
    /// - Parameters:
    ///   - container: The container of the app.
    ///   - options: How the records are in CloudKit; the zone in it is not used.
    public init(publicDatabaseOf container: CKContainer, options: Options = Options()) {
        self.init(container, container.publicCloudDatabase, zone: .default, "public", options: options)
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
