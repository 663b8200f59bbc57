import Foundation
import NIOCore

/// Lets the system close a connection whose client acknowledges nothing in time, because it takes no bytes or its network is
/// gone.
///
/// Without it an answer that is not taken never ends, and the service cannot. Linux also would send bytes to a lost network
/// for a quarter of an hour (RFC 5482).
final class UnacknowledgedBytes: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let time: Duration

    init(time: Duration) { self.time = time }

    func handlerAdded(context: ChannelHandlerContext) {
        #if os(Linux)
        let option = ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), SocketOptionName(TCP_USER_TIMEOUT))
        let (seconds, attoseconds) = time.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        // Connections that are not of TCP, as those of tests, do not have it.
        try? context.channel.syncOptions?.setOption(option, value: SocketOptionValue(milliseconds))
        #endif
    }
}
