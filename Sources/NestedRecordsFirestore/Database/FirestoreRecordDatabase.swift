@_spi(Engines) public import NestedRecords
public import NestedRecordsHTTP

/// A database in Cloud Firestore, whose documents apps with Google's SDK read and write too.
///
/// ```swift
/// let database = try FirestoreRecordDatabase(project: "school-1f0c2", access: .emulator())
/// let store = RecordStore(database)
/// ```
///
/// A record is a document: its type is the collection, its name the document's ID, and its fields have Firestore's own types.
/// The field `$nr` has what these do not hold. The article <doc:RecordsInFirestore> says what is different, and what each
/// call costs.
public struct FirestoreRecordDatabase: RecordDatabase {
    /// How the records are in Firestore.
    public struct Options: Sendable {
        /// The name of the database.
        public var database = "(default)"

        /// The path of a document, such as `users/ann`, after which the collections are; empty for those of the database.
        public var path = ""

        /// The collections of types that do not have their own names, for apps that have named them: `["School": "schools"]`.
        public var collections: [String: String] = [:]

        /// The types of the records, for calls about all of them; nil, the default, to list the collections.
        ///
        /// Only the servers of a project's owner may list them, so that an app with users' tokens names its types.
        public var types: [String]?

        /// The maximum number of records in one call.
        public var batchLimit = 500

        /// Whether a query may read all documents of a collection, each of which costs a read.
        public var allowsScans = true

        /// The journal of commits, which gives the database a feed; nil, the default, without one.
        ///
        /// All writers of a database need it, or none: the first commit without it throws if there is one. Programs with
        /// Google's SDK do not write it.
        public var journal: Journal?

        /// The time until an answer begins; at most 60 seconds.
        public var deadline = Duration.seconds(30)

        /// How a `RecordStore` repeats calls; by default also those that Firestore refuses for now.
        public var retries: RetryPolicy? = RetryPolicy(repeatsTransientErrors: true)

        /// Makes options.
        public init() {}
    }

    /// A journal of commits: a collection with a document for each.
    ///
    /// Each commit creates a document, and deletes one that is too old, which Firestore bills. Commits wait for each other
    /// then: a database takes some tens of them in a second.
    public struct Journal: Sendable {
        /// The number of commits that are kept: a reader that comes back after more of them has to begin again.
        public var length = 100_000

        /// The shortest and the longest pause between two looks for changes, while a reader waits; each look costs a read.
        public var pauses = Duration.seconds(1) ... .seconds(30)

        /// Makes a journal.
        public init() {}
    }

    let options: Options
    let journal: JournalState?

    /// Whether it is known that the database has no journal.
    let isWithoutJournal = Lock(false)

    /// The changes in the journal; nil without one.
    public var feed: (any RecordFeed)? { polled }

    private var polled: PolledFeed?

    let names: DocumentNames
    let exchange: FirestoreExchange

    /// Makes a database; no request is sent before the first call.
    ///
    /// - Parameters:
    ///   - project: The ID of the project.
    ///   - access: How Firestore is reached.
    ///   - options: How the records are in Firestore.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions`.
    public init(project: String, access: FirestoreAccess, options: Options = Options()) throws {
        try self.init(
            project: project, access: access, transport: URLSessionTransport(access.address), options: options)
    }

    /// Makes a database with a transport of one's own.
    ///
    /// - Parameters:
    ///   - project: The ID of the project.
    ///   - access: Whose rights the requests have; its address is not used.
    ///   - transport: Sends the requests.
    ///   - options: How the records are in Firestore.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions`.
    public init(
        project: String, access: FirestoreAccess, transport: some RecordHTTPTransport, options: Options = Options()
    ) throws {
        self.options = options
        names = try DocumentNames(
            project: project, database: options.database, below: options.path, collections: options.collections)
        exchange = FirestoreExchange(
            transport: transport, token: access.token, deadline: min(options.deadline, .seconds(60)))
        guard let journal = options.journal else {
            (self.journal, polled) = (nil, nil)
            return
        }
        guard journal.length > 0, journal.pauses.lowerBound > .zero else {
            throw RecordDatabaseError(
                .invalidOptions, reason: "a journal has a length and pauses, both of which are more than 0")
        }
        self.journal = JournalState(journal)
        polled = nil
        polled = PolledFeed(JournalFeed(base: self), pauses: journal.pauses)
    }

    /// The bytes of a request, less those around the records.
    ///
    /// https://firebase.google.com/docs/firestore/quotas#writes_and_transactions
    private static let mostBytes = 10 << 20 - 1 << 18

    /// The number of records of the options, and the bytes of a request.
    public var limits: RecordDatabaseLimits {
        var limits = RecordDatabaseLimits(batchCount: options.batchLimit)
        limits.batchBytes = Self.mostBytes
        limits.allowsScans = options.allowsScans
        limits.retries = options.retries
        limits.recordSize = { [names] record in
            // A record that cannot be written is refused when it is sent.
            (try? DocumentEncoder.document(of: record, save: "", names))?.fields.bytes.count ?? 0
        }
        limits.nameFault = { [names] in names.fault(of: $0) }
        return limits
    }

    /// Batches, conditions and snapshots, and with a journal a feed of whole batches; not all names, and not the references of records that other programs have saved.
    public var capabilities: RecordCapabilities {
        let all: RecordCapabilities = [
            .atomicBatches, .conditions, .missingConditions, .versionedDeletions, .snapshotReads, .readYourQueries,
            .serverClock, .orderedVersions,
        ]
        return journal == nil ? all : all.union(.wholeBatchesInFeed)
    }
}

extension FirestoreRecordDatabase: CustomStringConvertible {
    /// The path of the documents.
    public var description: String { "FirestoreRecordDatabase at \(names.root)" }
}

extension FirestoreRecordDatabase: ChildlessReflectable {}
