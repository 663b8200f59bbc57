import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The parts of the body of a request.
///
/// The server closes connections on which nothing arrives. A body that arrives slowly is refused when its next part comes
/// after the time.
struct BodyParts: AsyncSequence {
    let body: RequestBody
    let time: Duration

    func makeAsyncIterator() -> Iterator {
        Iterator(parts: body.makeAsyncIterator(), deadline: ContinuousClock.now + time)
    }

    struct Iterator: AsyncIteratorProtocol {
        var parts: RequestBody.AsyncIterator
        let deadline: ContinuousClock.Instant

        mutating func next() async throws -> Data? {
            guard let part = try await nextPart() else { return nil }
            guard ContinuousClock.now < deadline else { throw Problem(.requestTimeout, "The body came too slowly.") }
            return Data(part.readableBytesView)
        }

        /// The next part; a malformed or cut body is the client's mistake.
        private mutating func nextPart() async throws -> ByteBuffer? {
            do {
                return try await parts.next()
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                throw Problem(.badRequest, "The body is malformed, or was cut off.")
            }
        }
    }
}
