import Foundation

extension StandInCloud {
    /// What a test chooses.
    ///
    /// A setting for which the pages are silent or disagree says so.
    public struct Settings: Sendable {
        /// Decides about each call, before it has an effect.
        public var fault: (@Sendable (Call) -> Fault?)?

        /// A receiver of pushes: a device, and what is the value of `ck` in the dictionary that `CKNotification` takes.
        public typealias Push = @Sendable (CKContainer, [String: String]) -> Void

        /// Gets the pushes.
        public var push: Push?

        /// The server's clock.
        public var clock: @Sendable () -> Date = { Date() }

        /// Whether saves can add types and fields: in production they cannot.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecord
        public var isProduction = false

        /// The largest number of items in a request, 400.
        ///
        /// That it is the limit of fetches, too, is a report: https://developer.apple.com/forums/thread/744521
        /// https://developer.apple.com/documentation/cloudkit/ckerror/code/limitexceeded
        public var itemLimit = 400

        /// The largest request without assets, 2 MB by the same page; how large a megabyte is [not verified].
        public var requestLimit = 2_000_000

        /// The largest record without assets, 1 MB; the error [not verified].
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecord
        public var recordLimit = 1_000_000

        /// The largest number of references with the action deleteSelf to one record, 750.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecord/reference
        public var ownedLimit = 750

        /// The largest page of changes: the server's limit can be less than the call's.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckdatabase/recordzonechanges(inzonewith:since:desiredkeys:resultslimit:)
        public var changesPageLimit = 200

        /// The largest page of a query, 200 records in the web services.
        ///
        /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/PropertyMetrics.html
        public var queryPageLimit = 200

        /// Whether queries see changes only after `updateIndexes()`: a save completes before its indexing.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation/modifyrecordscompletionblock
        public var indexesLag = false

        /// The types with an index for queries of all records; nil for every type.
        public var queryableTypes: Set<String>?

        /// Whether a batch sent with `atomically: true` throws if a change fails, as documented, or returns the errors.
        ///
        /// The page says that the method throws then; nothing printed says with which error, here `partialFailure`.
        /// https://developer.apple.com/documentation/cloudkit/ckdatabase/modifyrecords(saving:deleting:savepolicy:atomically:)
        public var throwsAtomicFailures = true

        /// Whether `modifyRecords` reports the deletion of a missing record as unknownItem. [not verified]
        ///
        /// The page of `deleteRecord(withID:)` says that it throws then, so it does; `modifyRecords` does not say.
        public var refusesMissingDeletions = false

        /// Whether the target of a reference with the action deleteSelf must exist. [not verified]
        ///
        /// The page exempts all references but that of `parent`:
        /// https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation
        public var requiresOwners = false

        /// Whether a new reference changes the tag of its target, as the note at the page of references says.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecord/reference
        public var referencesChangeTargets = false

        /// Whether deletions cascade in default zones only at `finishCascades()`: there they are asynchronous.
        ///
        /// https://developer.apple.com/documentation/cloudkit/ckrecord/referenceaction/deleteself
        public var cascadesLag = false

        /// The steps of dates: milliseconds are those of the web services, for the native interface [not verified].
        ///
        /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/Types.html
        public var datePrecision = 0.001

        /// What a test chooses about the web services.
        public var web = Web()
    }

    /// A call of a test's code.
    public struct Call: Sendable {
        /// The calls.
        public enum Name: String, Sendable {
            case accountStatus, userRecordID, record, records, saveRecord, deleteRecord, modifyRecords, query
            case recordZones, modifyRecordZones, recordZoneChanges, databaseChanges, modifySubscriptions

            // Those of the web services, by subpath
            case webModifyRecords = "records/modify"
            case webLookUpRecords = "records/lookup"
            case webQuery = "records/query"
            case webRecordZoneChanges = "changes/zone"
            case webDatabaseChanges = "changes/database"
            case webListZones = "zones/list"
            case webLookUpZones = "zones/lookup"
            case webModifyZones = "zones/modify"
            case webCurrentUser = "users/current"
            case webCaller = "users/caller"
            case webUploadAssets = "assets/upload"

            var isWriting: Bool {
                switch self {
                case .saveRecord, .deleteRecord, .modifyRecords, .modifyRecordZones, .modifySubscriptions: true
                case .webModifyRecords, .webModifyZones, .webUploadAssets: true
                default: false
                }
            }
        }

        /// Which call it is.
        public var name: Name

        /// How many calls there were, with this one.
        public var number: Int

        /// Who is signed in.
        public var user: String?

        /// The database.
        public var scope: CKDatabase.Scope

        /// The names of the records or zones that it saves.
        public var saving: [String]

        /// The names of the records or zones that it deletes.
        public var deleting: [String]
    }

    /// What goes wrong with a call.
    public enum Fault: Sendable {
        /// Nothing happens but the error.
        case fails(CKError.Code, retryAfter: Double? = nil)

        /// The records with these names fail.
        case refuses([String: CKError.Code])

        /// The call has its effect, and its answer is lost.
        case losesAnswer(CKError.Code = .networkFailure)
    }
}
