import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct DamagedDocumentTests {
    private static let document = Array(
        #"{"a":[1,-2.5e3,"x\u00e9\ud83d\udca7é港💧 and more text",{"b":null,"c":true}],"":{"a":[[],{}]},"k\n":0.1}"#.utf8)

    /// Whatever is read of a damaged document is written and read again as the same, and Foundation reads it too.
    @Test func damagedDocumentIsReadAsItIsOrRefused() throws {
        var reader = JSONReader()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = Self.document
            for _ in 0..<Int.random(in: 1...3) { Self.damage(&bytes) }
            guard let value = try? reader.value(in: bytes) else { continue }
            accepted += 1
            var writer = JSONWriter(.pretty)
            writer.write(value)
            #expect(try reader.value(in: writer.bytes) == value)
            let data = Data(bytes)
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) }
        }
        #expect(accepted > 100)
    }

    @Test func cutDocumentIsRefused() {
        var reader = JSONReader()
        for length in 0..<Self.document.count {
            #expect(throws: JSONError.self) { try reader.value(in: Array(Self.document.prefix(length))) }
        }
    }

    private static func damage(_ bytes: inout [UInt8]) {
        let position = Int.random(in: bytes.indices)
        switch Int.random(in: 0..<4) {
        case 0: bytes[position] = .random(in: .min ... .max)
        case 1: bytes.insert(Array("{}[],:\"\\0-.e \n".utf8).randomElement() ?? 0, at: position)
        case 2: bytes.remove(at: position)
        default: bytes.swapAt(position, Int.random(in: bytes.indices))
        }
    }
}
