import Foundation
import Hummingbird
import NIOCore

/// One event of a stream.
struct ServerSentEvent: Sendable {
    var name: String
    var id: String?
    var data: Data

    init(_ name: String, id: String? = nil, _ value: some Encodable) throws {
        (self.name, self.id) = (name, id)
        data = try JSON.encoder.encode(value)
    }

    /// The event as it is sent.
    ///
    /// JSON has no line break outside of strings, and escapes it in strings.
    var bytes: ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(name)\n")
        if let id { buffer.writeString("id: \(id)\n") }
        buffer.writeString("data: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
