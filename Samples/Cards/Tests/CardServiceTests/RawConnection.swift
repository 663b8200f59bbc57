import NIOCore
import NIOPosix

/// A connection that sends any bytes, as a client that keeps to no protocol.
struct RawConnection {
    private let channel: any Channel
    private let received: NIOLoopBound<Received>

    private final class Received: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var bytes = ByteBuffer()

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var part = unwrapInboundIn(data)
            bytes.writeBuffer(&part)
        }
    }

    /// - Parameters:
    ///   - port: The port on this machine.
    ///   - reads: Whether the client reads what the service sends.
    init(port: Int, reads: Bool = true) async throws {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
            .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
        channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        let channel = channel
        received = try await channel.eventLoop.submit {
            let handler = Received()
            try channel.pipeline.syncOperations.addHandler(handler)
            return NIOLoopBound(handler, eventLoop: channel.eventLoop)
        }.get()
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)).get() }

    func close() async throws { try await channel.close().get() }

    /// All that the service has sent when it closes the connection.
    func textAtTheEnd() async throws -> String {
        try await channel.closeFuture.get()
        let received = received
        return try await channel.eventLoop.submit { String(buffer: received.value.bytes) }.get()
    }
}
