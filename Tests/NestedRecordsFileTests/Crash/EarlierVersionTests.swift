import Foundation
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// Files of the first version of the format, as the library wrote them then.
@Suite struct EarlierVersionTests {
    private let batches = CountedBatches(width: 2)

    /// Three batches: not closed; and closed, compacted before the last one.
    ///
    /// Each is the header, both states, and the blocks.
    private static let parts = [
        [
            """
            TlJEQg0KGgoBAAAAAAAAAILIA7aXY4+QoqqFa3fu+Tk=
            """,
            """
            AAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPGIwHX0AHox
            """,
            """
            AAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPGIwHX0AHox
            """,
            """
            TlJCSAMAAACKAAAAAAAAAJkr9uNSAAAAv1KHkrGP1dcAEAAAAAAAANesLFC3DGKqJgAAAL3bOf4BAQJTMAEwAQg0ampzYTQ2\
            MoGD1lBIWchBgYPWUEhZyEECAW4DAiYAAAD+LzeMAQECUzABMQEINGpqc2E0NjOBg9ZQSFnIQYGD1lBIWchBAgFuAwImAAAA\
            /8FdrQEBAkEwATEBCDRqanNhNDY0gYPWUEhZyEGBg9ZQSFnIQQIBbgMCTlJCSAMAAACKAAAAAAAAAJwr9uNSAAAAidn+RxUW\
            a9W6EAAAAAAAAC+TjHmdueNIJgAAACkbI7MBAQJTMAEwAQg0ampzYTQ2NYGD1lBIWchBT5TWUEhZyEECAW4DBCYAAACvGNqU\
            AQECUzABMQEINGpqc2E0NjaBg9ZQSFnIQU+U1lBIWchBAgFuAwQmAAAAdfz2sgEBAkEwATIBCDRqanNhNDY3T5TWUEhZyEFP\
            lNZQSFnIQQIBbgMETlJCSAMAAACKAAAAAAAAAJ8r9uNSAAAALfPv03RIJ4F0EQAAAAAAAN5LYI1IW1PxJgAAAPFWD6wBAQJT\
            MAEwAQg0ampzYTQ2OIGD1lBIWchBZZnWUEhZyEECAW4DBiYAAABzyX8SAQECUzABMQEINGpqc2E0NjmBg9ZQSFnIQWWZ1lBI\
            WchBAgFuAwYmAAAAL1LlbwEBAkEwATMBCDRqanNhNDZhZZnWUEhZyEFlmdZQSFnIQQIBbgMG
            """,
        ],
        [
            """
            TlJEQg0KGgoBAAAAAAAAAPNVx8SrAfyalp9ls1BbA54=
            """,
            """
            AgAAAAAAAADkEgAAAAAAAOgQAAAAAAAAHsl54JIAAAABAAAAAAAAAJxouR+57dH4
            """,
            """
            AQAAAAAAAAAqEgAAAAAAAOgQAAAAAAAAG8l54JIAAAABAAAAAAAAAMjUPD7Bl0Pm
            """,
            """
            TlJCSAQAAAC4AAAAAAAAAAAAAAAAAAAA9DDy52irSd0AEAAAAAAAABhor3Qh8/6lJgAAAHgTtXQBAQJBMAExAQg4MXNzbzRr\
            OG6+1lBIWchBbr7WUEhZyEECAW4DAiYAAABHsfelAQECUzABMAEIODFzc280azluvtZQSFnIQazC1lBIWchBAgFuAwQmAAAA\
            VrLS4wEBAlMwATEBCDgxc3NvNGthbr7WUEhZyEGswtZQSFnIQQIBbgMEJgAAABvpM6oBAQJBMAEyAQg4MXNzbzRrYqzC1lBI\
            WchBrMLWUEhZyEECAW4DBE5SWEkEAAAAEgEAAAAAAAAbyXngkgAAAJNCUjIl8/Is6BAAAAAAAAAEuixevueD1LgAAAAAAAAA\
            AgAAAAJTMAJBMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQCS5xeRbbMuAAAwEAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAI3GZ4wwry4AAF4QAAAAAABtU+wufs4uAACMEAAAAAEAjhFEcboqLgAAuhAAAABOUkJIAwAAAIoAAAAAAAAAG8l54JIA\
            AABjoXAUdljtyioSAAAAAAAAW5LIDoKrUgImAAAAbFRnCgEBAlMwATABCDgxc3NvNGtjbr7WUEhZyEHf2NZQSFnIQQIBbgMG\
            JgAAAKa3VscBAQJTMAExAQg4MXNzbzRrZG6+1lBIWchB39jWUEhZyEECAW4DBiYAAABNLwqOAQECQTABMwEIODFzc280a2Xf\
            2NZQSFnIQd/Y1lBIWchBAgFuAwY=
            """,
        ],
    ]

    private func file(_ parts: [String]) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: FileHeader.size)
        let parts = try parts.map { try #require(Data(base64Encoded: $0)) }
        for (offset, part) in zip([0] + LogState.offsets, parts) {
            bytes.replaceSubrange(offset..<(offset + part.count), with: part)
        }
        return bytes + parts[3]
    }

    @Test(arguments: parts) func fileOfTheFirstVersionIsReadAndWritten(_ parts: [String]) async throws {
        let bytes = try file(parts)
        let disk = SimulatedDisk(.with(bytes))
        let reader = try disk.openForReading()
        #expect(try await reader.numbers(of: [batches]) == [3])
        #expect(try await reader.verify() == [])
        for number in 4...5 {
            let database = try disk.open()
            try await batches.save(number, in: database)
            #expect(try await database.verify() == [])
            try await database.close()
        }
        #expect(disk.state.bytes[8] == 1)
        do {
            let database = try disk.open()
            #expect(try await database.numbers(of: [batches]) == [5])
            try await database.compact()
            #expect(disk.state.bytes[8] == 4)
            #expect(try await database.numbers(of: [batches]) == [5])
            #expect(try await database.verify() == [])
        }
        #expect(try await disk.open().numbers(of: [batches]) == [5])
    }

    @Test func unfinishedBatchOfTheFirstVersionIsCutOff() async throws {
        let bytes = try file(Self.parts[0])
        let disk = SimulatedDisk(.with(bytes.dropLast()))
        let database = try disk.open()
        #expect(try await database.numbers(of: [batches]) == [2])
        #expect(database.recoveredByteCount == 185)
    }

    @Test func damagedHeaderOfTheFirstVersionIsAnError() async throws {
        var bytes = try file(Self.parts[1])
        bytes[16] ^= 1
        let disk = SimulatedDisk(.with(bytes))
        #expect(throws: FileRecordDatabaseError.self) { try disk.open() }
    }
}
