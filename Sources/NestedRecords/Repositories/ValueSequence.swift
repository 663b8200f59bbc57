/// A sequence of all values of a type in a database.
///
/// ```swift
/// for try await school in database.all(School.self) { print(school.name) }
/// ```
///
/// The records are read in the order of the database, and decoded in groups, whose referenced records are fetched
/// together.
public struct ValueSequence<Value: RecordDecodable, Database: RecordDatabase>: AsyncSequence {
    /// A value.
    public typealias Element = Value

    let type: Value.Type
    let database: Database
    let decoder: RecordDecoder

    /// Starts at the first value.
    public func makeAsyncIterator() -> Iterator {
        Iterator(type: type, database: database, decoder: decoder)
    }

    /// Iterates over the values.
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

        /// The next value; nil after the last one.
        ///
        /// - Throws: The errors of the database, and those of
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
    /// The type of the values, which are not read yet.
    public var description: String { "\(type) values (read when iterated)" }
}

extension ValueSequence: ChildlessReflectable {}

extension RecordDatabase {
    /// A sequence of all values of a type.
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
