import Foundation
@_spi(Engines) import NestedRecords

/// Values in the binary form of records.
enum BinaryValue {
    private static func record(_ value: Record.Value) throws -> Record {
        try Record(id: Record.ID(type: "Value", name: "value"), fields: ["value": value])
    }

    static func data(of value: Record.Value) throws -> Data {
        var writer = RecordWriter()
        return Data(try writer.bytes(of: record(value)))
    }

    /// The value; nil for bytes of another form.
    static func value(in data: Data) -> Record.Value? {
        var reader = RecordReader()
        return try? reader.record(from: data)["value"]
    }
}
