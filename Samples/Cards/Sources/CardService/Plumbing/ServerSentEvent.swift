import Foundation
import Hummingbird
import NIOCore

/// One event of a stream, as it is sent.
struct ServerSentEvent: Sendable {
    let bytes: ByteBuffer

    /// Whether the stream ends after the event.
    var isLast = false

    /// A comment, which shows the server whether the client is still connected.
    static let heartbeat = ServerSentEvent(bytes: ByteBuffer(string: ":\n\n"))

    /// An event with a value.
    ///
    /// JSON has no line break outside of strings, and escapes it in strings.
    static func value(_ name: String, id: String? = nil, _ value: some Encodable) throws -> ServerSentEvent {
        let data = String(decoding: try JSON.encoder.encode(value), as: UTF8.self)
        let start = "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "")
        return ServerSentEvent(bytes: ByteBuffer(string: "\(start)data: \(data)\n\n"))
    }

    /// The same event as the last one.
    var last: ServerSentEvent { ServerSentEvent(bytes: bytes, isLast: true) }
}
