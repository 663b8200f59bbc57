/// A value, now and after each change of a record that it was read from.
///
/// ```swift
/// for try await school in store.live(School.self, named: "hilltop") { show(school) }
/// ```
///
/// Records at any depth count. Each value is of one moment of the database. Nothing is buffered: a slow reader gets the
/// newest value, and not those between. A value of the same versions is not repeated, and nil does not follow nil. Only
/// changed records are fetched. The sequence ends when its task is cancelled.
public struct LiveValue<Value: RecordDecodable>: AsyncSequence, Sendable {
    /// A value; nil while there is none.
    public typealias Element = Stored<Value>?

    // An invalid name is an error of reading.
    let id: Result<Record.ID, any Error>
    let store: RecordStore

    /// A condition for the value's own record: the value is nil where it fails; nil for no condition.
    var condition: (@Sendable (Record) throws -> Bool)?

    /// The pauses after changes of other records.
    var pause = IdlePause()

    /// Starts with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: LiveValue
        private var records: FollowedRecords?

        /// Whether the last element had a value; nil before the first element.
        private var hadValue: Bool?

        init(source: LiveValue) { self.source = source }

        /// The next value; an inner nil means that there is no value.
        ///
        /// - Throws: The errors of ``RecordStore/fetchIfPresent(_:named:)``,
        ///   ``RecordDatabaseError/changeTokenExpired(_:)``, and `CancellationError`.
        public mutating func next() async throws -> Stored<Value>?? {
            let records = try await followed()
            var pause = source.pause
            if hadValue != nil { try await records.waitForChange(pause: &pause) }
            while true {
                try Task.checkCancellation()
                records.beginReading()
                let (source, database) = (source, records)
                let result = await Self.read(source, database)
                // Fetched records may be of a later moment. All are of one moment if the cached ones have not changed.
                if records.hasFetched, try await records.update().hasChangedRecords { continue }
                let value = try result.get()
                let isNew = records.endReading()
                let hasValue = value != nil
                // Without a value, changed records are no news.
                if hadValue != hasValue || hasValue && isNew {
                    hadValue = hasValue
                    records.noteShown()
                    return .some(value)
                }
                try await pause.wait()
                try await records.waitForChange(pause: &pause)
            }
        }

        private mutating func followed() async throws -> FollowedRecords {
            if let records { return records }
            let new = try await FollowedRecords(of: source.store)
            records = new
            return new
        }

        private static func read(
            _ source: LiveValue, _ records: FollowedRecords
        ) async -> Result<Stored<Value>?, any Error> {
            do {
                let id = try source.id.get()
                if let condition = source.condition {
                    guard let record = try await records.presentRecords(for: [id]).first, try condition(record)
                    else { return .success(nil) }
                }
                let store = RecordStore(records, source.store.decoder)
                return .success(try await store.fetchIfPresent(Value.self, from: id))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension LiveValue: CustomStringConvertible {
    /// The record and the type of the value.
    public var description: String { "\(Value.self) of \((try? id.get()).orUnknown) (read when iterated)" }
}

extension LiveValue: ChildlessReflectable {}

extension RecordStore {
    /// The value with a name, now and after each change of a record that it was read from.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    /// - Returns: The values. Reading them throws ``RecordDatabaseError`` with the code `noFeed` if the database has no
    ///   feed of changes, and `RecordError.Code.invalidID` for an invalid name.
    public func live<Value: RecordDecodable>(
        _ type: Value.Type, named name: some RecordNameConvertible
    ) -> LiveValue<Value> {
        LiveValue(id: Result { try Record.ID(of: type, named: name) }, store: self)
    }
}
