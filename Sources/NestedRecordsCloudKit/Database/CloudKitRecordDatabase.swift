import Foundation
@_spi(Engines) public import NestedRecords

/// A database in a zone of CloudKit, or in its public database, whose records other programs read and write too.
///
/// ```swift
/// let database = try CloudKitRecordDatabase(CKContainer.default())
/// try await database.prepare()
/// let store = RecordStore(database)
/// ```
///
/// A record is a record of CloudKit, whose fields have CloudKit's own types. The field `nr_rest` has what these do not hold.
/// The article <doc:RecordsInCloudKit> says what is different, and what each call costs.
public struct CloudKitRecordDatabase: RecordDatabase {
    /// How the records are in CloudKit.
    public struct Options: Sendable {
        /// The name of the zone.
        public var zone = "NestedRecords"

        /// How the records are named.
        public var naming = CloudKitNaming.typed

        /// The fields whose values are of several types, by type and name: `["School.extra"]`.
        ///
        /// The first save of a field fixes its type in CloudKit, which refuses values of others from then on. These fields
        /// are in `nr_rest` alone.
        public var untyped: Set<String> = []

        /// The types of the records, for calls about all records of the public database, whose types CloudKit does not list.
        public var types: [String]?

        /// Whether CloudKit itself deletes a record together with the one that owns it, also for programs without this
        /// library.
        ///
        /// A record can own at most 750 others then, and each deletion cascades, with or without
        /// the option `cascading` of a deletion.
        public var cascades = false

        /// The maximum number of records in one request, of which a batch has one less.
        public var batchLimit = 400

        /// The shortest and the longest pause between two looks for changes, while a reader waits.
        ///
        /// An app that receives CloudKit's messages calls ``CloudKitRecordDatabase/checkForChanges()`` and waits longer.
        public var pauses = Duration.seconds(5) ... .seconds(60)

        /// How a `RecordStore` repeats calls; by default also those that CloudKit refuses for now.
        public var retries: RetryPolicy? = RetryPolicy(repeatsTransientErrors: true)

        /// Makes options.
        public init() {}

        /// Throws unless a zone can have the name, with which CloudKit's own class would end the process.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecordzone/id/init(zonename:ownername:)
        func checkZone() throws {
            let bytes = zone.utf8
            let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) } && bytes.first != UInt8(ascii: "_")
            guard (1...240).contains(bytes.count), isPlain else {
                throw RecordDatabaseError(
                    .invalidOptions,
                    reason:
                        "the name \(zone.debugDescription) of a zone is not one of up to 240 printable ASCII characters"
                        + " that begins with another than an underscore")
            }
        }
    }

    let port: any CloudKitPort
    let mapping: RecordMapping
    let list: VersionList
    let options: Options
    private let parts = AssetParts()

    /// The changes of the zone; nil in the public database.
    public var feed: (any RecordFeed)? { polled }

    private var polled: PolledFeed?

    /// - Parameters:
    ///   - port: The calls of CloudKit.
    ///   - store: The path of the zone.
    ///   - options: How the records are in CloudKit.
    init(_ port: some CloudKitPort, store: String, options: Options) {
        (self.port, self.options) = (port, options)
        mapping = RecordMapping(
            naming: options.naming, writesActions: options.cascades, untyped: options.untyped,
            storesAssets: port.assetZone != nil)
        list = VersionList(port, mapping)
        description = "CloudKitRecordDatabase at \(store)"
        polled = nil
        if !port.isZone { return }
        polled = PolledFeed(ZoneFeed(base: self, store: store), pauses: options.pauses)
    }

    /// The bytes of assets, in a zone of their own; nil in the public database, and in a zone that another user shares.
    public var assets: (any AssetStorage)? {
        port.assetZone.map { zone in
            var options = Options()
            (options.batchLimit, options.retries) = (self.options.batchLimit, self.options.retries)
            let chunks = CloudKitRecordDatabase(
                zone, store: description + CloudKitNaming.assetZoneSuffix, options: options)
            // An upload has many calls, which a store does not repeat one by one.
            let policy = options.retries ?? RetryPolicy()
            return StoredAssets(
                RetriedRecordDatabase(self, policy),
                ZoneAssetChunks(database: RetriedRecordDatabase(chunks, policy), zone: chunks, parts: parts))
        }
    }

    /// The path of the zone.
    public let description: String

    /// The size of a request, less that of what is around the records.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation
    static let mostBytes = 1_900_000

    /// The size of a record without assets.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckrecord
    private static let mostBytesOfRecord = 1_000_000

    /// The number of records of the options, and the sizes of CloudKit.
    public var limits: RecordDatabaseLimits {
        var limits = RecordDatabaseLimits(batchCount: max(1, options.batchLimit - 1))
        limits.batchBytes = Self.mostBytes
        limits.recordBytes = Self.mostBytesOfRecord
        limits.retries = options.retries
        limits.recordSize = { [mapping] record in
            // A record that cannot be written is refused when it is sent.
            let fields = try? mapping.encode(record)
            return fields.map { $0.values.reduce(0) { $0 + $1.key.utf8.count + $1.value.size } } ?? 0
        }
        limits.nameFault = { [mapping] in mapping.naming.fault(of: $0) }
        return limits
    }

    /// Batches and conditions; not fetches of one moment, all names, and whole batches in the feed.
    ///
    /// The dates are those of the writer's clock. In the public database a batch has one record.
    public var capabilities: RecordCapabilities {
        if !port.isZone { return port.deletesVersions ? [.orderedVersions, .versionedDeletions] : .orderedVersions }
        return [
            .atomicBatches, .conditions, .missingConditions, .versionedDeletions, .readYourQueries, .completeReferrers,
            .orderedVersions,
        ]
    }

    /// Makes the zone and that of the assets, unless they exist.
    ///
    /// - Throws: `RecordDatabaseError`.
    public func prepare() async throws {
        try await reportingFailures {
            try await port.makeZone()
            try await port.assetZone?.makeZone()
        }
    }

    /// Lets CloudKit send a silent message to the app when the zone changes.
    ///
    /// One subscription is enough for all devices of a user and for ever. The app passes each message on to
    /// ``checkForChanges()``.
    ///
    /// - Throws: `RecordDatabaseError`.
    public func subscribe() async throws { try await reportingFailures { try await port.subscribe() } }

    /// Looks for changes at once: a message of CloudKit says that there may be some.
    public func checkForChanges() { polled?.checkNow() }
}

extension CloudKitRecordDatabase: CustomStringConvertible {}

extension CloudKitRecordDatabase: ChildlessReflectable {}
