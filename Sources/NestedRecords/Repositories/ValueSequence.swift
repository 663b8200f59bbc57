/// All values of a type in a database, one after the other.
///
/// ```swift
/// for try await school in database.all(School.self) { print(school.name) }
/// ```
///
/// The records are read in the order of the database, and decoded some at a time: what they refer to is fetched
/// together.
public struct ValueSequence<Value: RecordDecodable, Database: RecordDatabase>: AsyncSequence {
    /// A value.
    public typealias Element = Value

    let type: Value.Type
    let database: Database
    let decoder: RecordDecoder

    /// Begins at the first value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(type: type, database: database, decoder: decoder)
    }

    /// Goes from value to value.
    public struct Iterator: AsyncIteratorProtocol {
        let type: Value.Type
        let database: Database
        let decoder: RecordDecoder
        private var records: RecordSequence.Iterator
        private var values: ArraySlice<Value> = []

        init(type: Value.Type, database: Database, decoder: RecordDecoder) {
            self.type = type
            self.database = database
            self.decoder = decoder
            records = database.records(ofType: RecordTypeInfo.info(of: type).type).makeAsyncIterator()
        }

        /// The next value, nil behind the last one.
        ///
        /// - Throws: What keeps the database from reading, and the errors of
        ///   ``RecordDecoder/decode(_:from:in:)-(_,[Record],_)``.
        public mutating func next() async throws -> Value? {
            if values.isEmpty {
                var page: [Record] = []
                while page.count < 100, let record = try await records.next() { page.append(record) }
                if page.isEmpty { return nil }
                values = try await decoder.decode(type, from: page, in: database)[...]
            }
            return values.popFirst()
        }
    }
}

extension ValueSequence: Sendable {}

extension ValueSequence: CustomStringConvertible {
    /// The type of the values: they are not known before they are read.
    public var description: String { "\(type) values (read when iterated)" }
}

extension ValueSequence: ChildlessReflectable {}

extension RecordDatabase {
    /// All values of a type, one after the other.
    ///
    /// - Parameters:
    ///   - type: The Swift type; its record type is ``RecordRepresentable/recordType``.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order in which the database lists their records.
    public func all<Value: RecordDecodable>(
        _ type: Value.Type, decoder: RecordDecoder = RecordDecoder()
    ) -> ValueSequence<Value, Self> {
        ValueSequence(type: type, database: self, decoder: decoder)
    }

    /// Fetches and decodes all values of a type together.
    ///
    /// - Parameters:
    ///   - type: The Swift type; its record type is ``RecordRepresentable/recordType``.
    ///   - decoder: How to decode them.
    /// - Returns: The values in the order in which the database lists their records, with shared instances where they
    ///   contain the same records.
    /// - Throws: The errors of ``RecordDecoder/decode(_:from:in:)-(_,[Record],_)``.
    public func loadAll<Value: RecordDecodable>(
        _ type: Value.Type, decoder: RecordDecoder = RecordDecoder()
    ) async throws -> sending [Value] {
        var records: [Record] = []
        for try await record in self.records(ofType: RecordTypeInfo.info(of: type).type) { records.append(record) }
        return try await decoder.decode(type, from: records, in: self)
    }
}
