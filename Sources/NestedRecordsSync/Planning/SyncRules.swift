public import NestedRecords

/// How two databases merge records that changed on both sides.
///
/// A field that changed on one side takes that side's value, and one that changed to the same value on both sides keeps it. The
/// rules are for the rest: fields that changed to different values. By default the remote value wins, except in lists of
/// references, which merge by their members. What loses is in ``RecordSync/conflicts()``.
///
/// ```swift
/// var rules = SyncRules()
/// rules.set(.counter, for: "reviews", ofType: "Card")
/// rules.set(.contested(.newest(by: "edited")), for: "text", ofType: "Card")
/// rules.keepTogether(["amount", "currency"], ofType: "Price")
/// ```
///
/// All programs that synchronize with one remote database need the same rules.
public struct SyncRules: Sendable {
    /// Which value of a contested field wins.
    public enum Contest: Sendable {
        /// The value of the remote database.
        case remote

        /// The value of the local database.
        case local

        /// The value of the record whose field of this name has the later date; the remote value if the dates are equal or
        /// missing.
        case newest(by: String)

        /// The result of a closure; nil removes the field.
        ///
        /// It decides about single fields. Of whole records and of groups that are kept together the remote side wins.
        case custom(@Sendable (_ base: Record.Value?, _ local: Record.Value?, _ remote: Record.Value?) -> Record.Value?)
    }

    /// How a field is merged.
    public enum FieldRule: Sendable {
        /// One of the values wins.
        case contested(Contest)

        /// A number to which each side adds: the additions of both sides count.
        ///
        /// Integers are exact. A field without a value counts as 0. Where a sum would overflow, and where the kinds of the
        /// numbers differ, the field is contested.
        case counter

        /// A list without equal elements: an element that one side removed is removed, one that a side added is added.
        ///
        /// The order is that of the remote side; what was added locally comes after its left neighbour. A list with equal
        /// elements is contested.
        case list

        /// As ``list``, for elements without an order: the merged list is sorted as a `Set` is stored.
        case set

        /// The time at which the remote database saves the record, for a `ServerTimestamp`.
        ///
        /// A date that was saved locally is replaced by that time when the record is sent.
        case serverTime
    }

    /// What happens to a record that one side deleted and the other side changed.
    public enum DeletionRule: Sendable, Hashable {
        /// The changed record returns on the side that deleted it.
        case updateWins

        /// The record is deleted on both sides.
        case deletionWins
    }

    /// What happens to contested fields without a rule of their own, and to records that are contested as a whole.
    ///
    /// A record is contested as a whole if both sides made it under one name with different contents, and if both sides
    /// changed it and its versions have different numbers in the field `$version`, without ``addMigrations(of:coding:)``.
    public var contested = Contest.remote

    /// What happens to a record that one side deleted and the other side changed.
    public var deletions = DeletionRule.updateWins

    /// What happens to a deletion of a record to which records of the other side refer.
    ///
    /// The remote database knows which of its records refer to a record that was deleted locally. Of the local records those
    /// count whose changes were not sent.
    public enum ReferenceRule: Sendable, Hashable {
        /// The record returns. ``RecordSync/rejected()`` lists a local deletion, and ``RecordSync/conflicts()`` one of the
        /// remote side.
        ///
        /// Of the remote databases only one with `RecordCapabilities.referrerConditions` checks it: ``SyncStatus/checksReferences``.
        case checked

        /// As ``checked``, but the remote records that one owned which was deleted locally are deleted too, on both sides: those
        /// that refer to it with `Record.Reference.Action.deleteSelf`, and so on.
        ///
        /// ``RecordSync/conflicts()`` has their contents. The deletion is refused if another record refers to it.
        case cascade

        /// The references dangle.
        case dangling
    }

    /// What happens to a deletion of a record to which records of the other side refer.
    public var references = ReferenceRule.checked

    /// How records of earlier versions of their types become records of the present one.
    private var migrations: [RecordMigration] = []

    private var rules: [String: [String: FieldRule]] = [:]
    private var groups: [String: [[String]]] = [:]

    /// Makes the default rules.
    public init() {}

    /// Sets the rule of a field.
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - field: The name of the field in records.
    ///   - type: The record type.
    public mutating func set(_ rule: FieldRule, for field: String, ofType type: String) {
        rules[type, default: [:]][field] = rule
    }

    /// Sets the rule of a property.
    ///
    /// ```swift
    /// try rules.set(.counter, for: \Card.reviews)
    /// ```
    ///
    /// - Parameters:
    ///   - rule: The rule.
    ///   - property: The property.
    ///   - coding: How the type is encoded.
    /// - Throws: `RecordError.Code.unknownField` for a property that is not stored in one field of its name;
    ///   `RecordDatabaseError.Code.invalidOptions` for a ``FieldRule/counter`` that is not a number.
    public mutating func set<Model: RecordDecodable>(
        _ rule: FieldRule, for property: any PartialKeyPath<Model> & Sendable, coding: RecordCoding = RecordCoding()
    ) throws {
        let type = type(of: property as AnyKeyPath).valueType
        if case .counter = rule, coding.isNumber(type) == false {
            let name = "'\(try coding.fieldName(of: property))' of \(Model.self)"
            throw RecordDatabaseError(
                .invalidOptions, reason: "a counter is a number, and \(name) is of the type \(type)")
        }
        set(rule, for: try coding.fieldName(of: property), ofType: Model.recordType)
    }

    /// Merges properties as if they were one: all of them have the values of one side.
    ///
    /// - Parameters:
    ///   - properties: The properties.
    ///   - coding: How the type is encoded.
    /// - Throws: `RecordError.Code.unknownField` for a property that is not stored in one field of its name.
    public mutating func keepTogether<Model: RecordDecodable>(
        _ properties: any PartialKeyPath<Model> & Sendable..., coding: RecordCoding = RecordCoding()
    ) throws {
        keepTogether(try properties.map { try coding.fieldName(of: $0) }, ofType: Model.recordType)
    }

    /// Lets records of earlier versions of types be merged with those of the present version by field.
    ///
    /// The schemas say how the records are migrated, as for `RecordStore.migrate(_:batchSize:isDryRun:progress:)`. Without
    /// this, records of different versions are contested as a whole.
    ///
    /// - Parameters:
    ///   - types: The Swift types.
    ///   - coding: How their values are encoded.
    /// - Throws: `RecordError.Code.invalidSchema` for schemas that are not valid.
    public mutating func addMigrations(
        of types: any RecordRepresentable.Type..., coding: RecordCoding = RecordCoding()
    ) throws {
        migrations.append(try RecordMigration(of: types, coding: coding))
    }

    /// Merges fields as if they were one: all of them have the values of one side.
    ///
    /// The fields have no other rules; contested groups follow ``contested``.
    ///
    /// - Parameters:
    ///   - fields: The names of the fields in records.
    ///   - type: The record type.
    public mutating func keepTogether(_ fields: [String], ofType type: String) {
        groups[type, default: []].append(fields)
    }

    /// The fields of a record in the present version of its type; nil if there is no migration to it.
    func migrated(_ fields: Record.Fields, ofType type: String) -> Record.Fields? {
        guard !migrations.isEmpty, let record = try? Record(id: Record.ID(type: type, name: "0"), fields: fields) else {
            return nil
        }
        return try? migrations.reduce(record) { try $1.fieldsMigrated($0) }.fields
    }

    /// The fields with times of the remote database.
    func serverTimes(ofType type: String) -> [String] {
        rules[type]?.filter { if case .serverTime = $0.value { true } else { false } }.map(\.key) ?? []
    }

    func rule(of field: String, _ type: String) -> FieldRule? { rules[type]?[field] }

    func counters(ofType type: String) -> [String] {
        rules[type]?.filter { if case .counter = $0.value { true } else { false } }.map(\.key) ?? []
    }

    func groups(ofType type: String) -> [[String]] { groups[type] ?? [] }
}
