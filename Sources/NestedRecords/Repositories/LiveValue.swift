/// A value, now and after each change of a record that it was read from.
///
/// ```swift
/// for try await school in database.liveValue(of: School.self, named: "hilltop") { show(school) }
/// ```
///
/// Records at any depth count. Each value is of one moment of the database. Nothing is buffered: a slow reader gets the
/// newest value, and not those between. A value of the same versions is not repeated, and nil does not follow nil. Only
/// changed records are fetched. The sequence ends when its task is cancelled.
public struct LiveValue<Value: RecordDecodable, Database: ObservableRecordDatabase>: AsyncSequence, Sendable {
    /// A value; nil while there is none.
    public typealias Element = Value?

    let id: Record.ID
    let database: Database
    let decoder: RecordDecoder

    /// A condition for the value's own record: the value is nil where it fails; nil for no condition.
    let condition: (@Sendable (Record) throws -> Bool)?

    /// The pauses after changes of other records.
    var pause = IdlePause()

    /// Starts with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: LiveValue
        private var records: FollowedRecords<Database>?

        /// Whether the last element had a value; nil before the first element.
        private var hadValue: Bool?

        init(source: LiveValue) { self.source = source }

        /// The next value; an inner nil means that there is no value.
        ///
        /// - Throws: The errors of ``RecordDatabase/load(_:named:decoder:)``,
        ///   ``RecordDatabaseError/changeTokenExpired(_:)``, and `CancellationError`.
        public mutating func next() async throws -> Value?? {
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

        private mutating func followed() async throws -> FollowedRecords<Database> {
            if let records { return records }
            let new = try await FollowedRecords(of: source.database)
            records = new
            return new
        }

        private static func read(
            _ source: LiveValue, _ records: FollowedRecords<Database>
        ) async -> Result<Value?, any Error> {
            do {
                if let condition = source.condition {
                    guard let record = try await records.presentRecords(for: [source.id]).first, try condition(record)
                    else { return .success(nil) }
                }
                return .success(try await records.loadIfPresent(Value.self, from: source.id, decoder: source.decoder))
            } catch {
                return .failure(error)
            }
        }
    }
}

extension LiveValue: CustomStringConvertible {
    /// The record and the type of the value.
    public var description: String { "\(Value.self) of \(id) (read when iterated)" }
}

extension LiveValue: ChildlessReflectable {}

extension ObservableRecordDatabase {
    /// The value with a name, now and after each change of a record that it was read from.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - decoder: How to decode it.
    /// - Returns: The values.
    /// - Throws: ``RecordError/invalidID(type:name:reason:context:)``.
    public func liveValue<Value: RecordDecodable>(
        of type: Value.Type, named name: some RecordNameConvertible, decoder: RecordDecoder = RecordDecoder()
    ) throws -> LiveValue<Value, Self> {
        LiveValue(id: try Record.ID(of: type, named: name), database: self, decoder: decoder, condition: nil)
    }
}
