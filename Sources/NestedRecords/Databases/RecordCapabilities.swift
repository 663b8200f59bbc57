/// What a database can do besides storing and fetching single records.
///
/// A call that needs a capability which its database lacks throws ``RecordDatabaseError`` with the code `unsupported` before
/// anything is written; ``RecordDatabaseError/missingCapabilities`` names it. The article <doc:CapabilitiesAndLimits> has a
/// table of calls and capabilities.
public struct RecordCapabilities: OptionSet, Sendable, Hashable {
    /// One bit for each capability.
    public let rawValue: UInt32

    /// Makes capabilities from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A batch of several changes is applied whole or not at all.
    public static let atomicBatches = Self(rawValue: 1 << 0)

    /// A batch can require the version of a record that it does not change.
    public static let conditions = Self(rawValue: 1 << 1)

    /// A batch can require that a record is missing.
    public static let missingConditions = Self(rawValue: 1 << 2)

    /// A deletion can require a version.
    public static let versionedDeletions = Self(rawValue: 1 << 3)

    /// The records of one fetch are of one moment.
    public static let snapshotReads = Self(rawValue: 1 << 4)

    /// Queries, counts, lists and referrers include all saves that have returned.
    public static let readYourQueries = Self(rawValue: 1 << 5)

    /// A page of the feed never has a part of a batch.
    public static let wholeBatchesInFeed = Self(rawValue: 1 << 6)

    /// The dates of records are of the clock of the database, and not of the writer.
    public static let serverClock = Self(rawValue: 1 << 7)

    /// Any record name and record type can be stored.
    public static let allNames = Self(rawValue: 1 << 8)

    /// ``RecordDatabase/referrers(of:)`` finds the references of all records, by whatever program they were saved.
    public static let completeReferrers = Self(rawValue: 1 << 9)

    /// A batch can require that no other records refer to a record: ``RecordBatch/allowedReferrers``.
    public static let referrerConditions = Self(rawValue: 1 << 10)

    /// A batch can require the versions of many records at little cost.
    public static let versionLists = Self(rawValue: 1 << 11)

    /// ``RecordDatabase/versions(ofType:after:limit:)`` lists in the order of the bytes of the names.
    public static let orderedVersions = Self(rawValue: 1 << 12)

    /// All of these capabilities.
    public static let all = Self(rawValue: 1 << 13 - 1)

    /// The database can say whether a batch was applied, after the connection was lost: ``RecordDatabase/outcome(of:)``.
    ///
    /// It is not one of ``all``: where no connection can be lost, no outcome is unknown.
    public static let outcomes = Self(rawValue: 1 << 13)

    /// The database keeps audiences, and its feed reports to each reader their own changes alone:
    /// ``RecordStore/scoped(for:_:)``.
    ///
    /// It is not one of ``all``: only the databases of this library have it.
    public static let audiences = Self(rawValue: 1 << 14)
}

extension RecordCapabilities: CustomStringConvertible {
    private static let texts: [(capability: Self, text: String)] = [
        (.atomicBatches, "batches that are applied whole or not at all"),
        (.conditions, "conditions on records that a batch does not change"),
        (.missingConditions, "conditions that a record is missing"),
        (.versionedDeletions, "deletions that require a version"),
        (.snapshotReads, "fetches of one moment"),
        (.readYourQueries, "queries that include all saves"),
        (.wholeBatchesInFeed, "a feed of whole batches"),
        (.serverClock, "dates of the database's clock"),
        (.allNames, "any record name"),
        (.completeReferrers, "the references of all records"),
        (.referrerConditions, "the condition that no other record refers to a record"),
        (.versionLists, "conditions on many records at little cost"),
        (.orderedVersions, "lists of versions in the order of the names"), (.outcomes, "the outcome of lost batches"),
        (.audiences, "audiences"),
    ]

    /// The capabilities in words.
    public var description: String {
        let words = Self.texts.filter { contains($0.capability) }.map(\.text)
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }

    /// Each of all capabilities alone.
    package static var each: [Self] { texts.map(\.capability).filter(all.contains) }
}

extension RecordDatabase {
    /// Throws if the database lacks one of some capabilities.
    ///
    /// - Parameters:
    ///   - needed: The capabilities.
    ///   - call: The call that needs them, for the error.
    /// - Throws: ``RecordDatabaseError`` with the code `unsupported` and the missing capabilities.
    @_spi(Engines) public func require(_ needed: RecordCapabilities, for call: String) throws {
        let missing = needed.subtracting(capabilities)
        if !missing.isEmpty { throw RecordDatabaseError.unsupported(missing, for: call) }
    }
}

extension RecordDatabaseError {
    /// A call needs capabilities that the database lacks.
    static func unsupported(_ missing: RecordCapabilities, for call: String) -> RecordDatabaseError {
        let isOfReferrers = !missing.isDisjoint(with: [.referrerConditions, .completeReferrers])
        return RecordDatabaseError(
            .unsupported, .missing(missing), reason: "\(call) needs \(missing)",
            hint: isOfReferrers
                ? "delete with the option 'dangling', and look for references with 'danglingReferences()'" : nil)
    }
}

extension RecordBatch {
    /// The capabilities that a database needs to apply the batch.
    package var neededCapabilities: RecordCapabilities {
        var needed: RecordCapabilities = saves.count + deletions.count > 1 ? .atomicBatches : []
        for condition in conditions { needed.formUnion(condition.version.capabilityForCondition) }
        if deletions.contains(where: { $0.version != .any }) { needed.insert(.versionedDeletions) }
        if !allowedReferrers.isEmpty { needed.insert(.referrerConditions) }
        if id != nil { needed.insert(.outcomes) }
        return needed
    }
}

extension RecordBatch.Version {
    var capabilityForCondition: RecordCapabilities {
        switch self {
        case .any: []
        case .missing: .missingConditions
        case .exists, .changeTag: .conditions
        }
    }
}
