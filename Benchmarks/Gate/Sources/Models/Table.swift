public import NestedRecords

/// A record that requests the nested container of each row twice.
public struct Table: RecordEncodable, Sendable {
    private let rows: Int

    /// The name of the record.
    public var recordName: String { "table" }

    /// A table of this many rows.
    public init(rows: Int) { self.rows = rows }

    /// Encodes one column after the other.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for column in ["a", "b"] {
            for row in 0..<rows {
                var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key("\(row)"))
                try nested.encode(row, forKey: Key(column))
            }
        }
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
