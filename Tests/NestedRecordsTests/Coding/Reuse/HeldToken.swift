import Foundation

/// An object of which a test wants to know who holds it.
final class HeldToken: Sendable {}

extension Data {
    /// Data that holds an object until its storage goes.
    static func holding(_ token: HeldToken) -> Data {
        let count = 100_000
        let storage = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        storage.initializeMemory(as: UInt8.self, repeating: 7, count: count)
        // The address alone, since the closure may run on any thread.
        let address = Int(bitPattern: Unmanaged.passRetained(token).toOpaque())
        return Data(
            bytesNoCopy: storage, count: count,
            deallocator: .custom { storage, _ in
                storage.deallocate()
                UnsafeRawPointer(bitPattern: address).map { Unmanaged<HeldToken>.fromOpaque($0).release() }
            })
    }
}
