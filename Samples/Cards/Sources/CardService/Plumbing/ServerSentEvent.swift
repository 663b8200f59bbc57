import Foundation
import Hummingbird
import NIOCore

/// One event of a stream, as it is sent.
struct ServerSentEvent: Sendable {
    let bytes: ByteBuffer

    /// Whether the stream ends after the event.
    var isLast = false

    /// A comment, which shows the server whether the client is still connected.
    static let pause = ServerSentEvent(bytes: ByteBuffer(string: ":\n\n"))

    /// An event with a value.
    ///
    /// JSON has no line break outside of strings, and escapes it in strings.
    static func value(_ name: String, id: String? = nil, _ value: some Encodable) throws -> ServerSentEvent {
        var bytes = ByteBuffer(string: "event: \(name)\n")
        if let id { bytes.writeString("id: \(id)\n") }
        bytes.writeString("data: ")
        bytes.writeBytes(try JSON.encoder.encode(value))
        bytes.writeString("\n\n")
        return ServerSentEvent(bytes: bytes)
    }

    /// The same event as the last one.
    var last: ServerSentEvent { ServerSentEvent(bytes: bytes, isLast: true) }
}
