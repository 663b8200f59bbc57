/// A value as it is now, and again whenever a record that it was read from has changed.
///
/// ```swift
/// for try await school in database.liveValue(of: School.self, named: "hilltop") { show(school) }
/// ```
///
/// Records at any depth count. Each value is that of one moment of the database. Nothing is kept for a slow reader: it gets
/// the newest value, and not those between. A value that was read from the same versions does not come again. Only what has
/// changed is fetched, and nil does not follow nil. The sequence ends when its task is cancelled.
public struct LiveValue<Value: RecordDecodable, Database: ObservableRecordDatabase>: AsyncSequence, Sendable {
    /// A value; nil while there is none.
    public typealias Element = Value?

    let id: Record.ID
    let database: Database
    let decoder: RecordDecoder

    /// What must hold of the value's own record, else it is as if there were none; nil for nothing.
    let condition: (@Sendable (Record) throws -> Bool)?

    /// The pauses after changes of other records.
    var pause = IdlePause()

    /// Begins with the present value.
    public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

    /// Goes from value to value.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: LiveValue
        private var records: FollowedRecords<Database>?

        /// Whether there was a value the last time; nil before the first time.
        private var hadValue: Bool?

        init(source: LiveValue) { self.source = source }

        /// The next value; nil within is a value that is not there.
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
                // What was fetched is of a later moment than the rest: both are of one if nothing has changed.
                if records.hasFetched, try await records.update().hasChangedRecords { continue }
                let value = try result.get()
                let isNew = records.endReading()
                let hasValue = value != nil
                // Where there is no value, nothing tells what keeps it away.
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
    /// The value with a name, and again whenever a record that it was read from has changed.
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
