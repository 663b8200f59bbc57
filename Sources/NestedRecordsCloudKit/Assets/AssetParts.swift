import Foundation
import NestedRecords

/// The parts of uploads that are in memory: those that were not sent yet, and those that were used last.
///
/// CloudKit reads and writes a file as a whole, while the chunks of an asset come one after the other.
final class AssetParts: Sendable {
    struct Part: Sendable {
        let upload: String
        let position: Int64
        var bytes: Data
        var isSent: Bool

        func isOf(_ upload: String, at position: Int64) -> Bool { self.upload == upload && self.position == position }
    }

    private static let mostParts = 8

    /// The part that was used last is the last one.
    private let kept = Lock([Part]())

    func part(of upload: String, at position: Int64) -> Part? {
        kept.withLock { parts in
            guard let index = parts.firstIndex(where: { $0.isOf(upload, at: position) }) else { return nil }
            parts.append(parts.remove(at: index))
            return parts.last
        }
    }

    func unsent(of upload: String) -> [Part] { kept.withLock { $0.filter { $0.upload == upload && !$0.isSent } } }

    func keep(_ part: Part) {
        kept.withLock { parts in
            parts.removeAll { $0.isOf(part.upload, at: part.position) }
            parts.append(part)
        }
    }

    /// Notes that a part is stored, unless its bytes have changed since.
    func noteSent(_ part: Part) {
        kept.withLock { parts in
            guard let index = parts.firstIndex(where: { $0.isOf(part.upload, at: part.position) }),
                parts[index].bytes == part.bytes
            else { return }
            parts[index].isSent = true
        }
    }

    func remove(_ upload: String) { kept.withLock { $0.removeAll { $0.upload == upload } } }

    /// Removes the oldest parts that are stored.
    ///
    /// - Returns: The oldest part that is not stored, if there are still too many.
    func shrink() -> Part? {
        kept.withLock { parts in
            while parts.count > Self.mostParts, let index = parts.firstIndex(where: \.isSent) {
                parts.remove(at: index)
            }
            return parts.count > Self.mostParts ? parts.first : nil
        }
    }
}
