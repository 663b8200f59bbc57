import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

@Suite struct FileQueryTests {
    @Test(arguments: [0, 1, 1_000, 5_000]) func placesOfATypeComeInTheOrderOfTheFile(_ count: Int) {
        var index = FileIndex()
        var expected: [UInt64] = []
        for number in 0..<count {
            // Offsets of up to 40 bits, of which none is there twice.
            let offset = number << 27 | Int.random(in: 0..<1 << 27)
            let place = EntryLocation.make(offset: offset, length: .random(in: 1...1 << 25))
            let type = UInt64.random(in: 0...3)
            index.insert(.random(in: 0...(.max >> 16)) << 16 | type, at: place)
            if type == 2 { expected.append(place) }
        }
        #expect(index.places(ofType: 2) == expected && index.places().count == count)
        #expect(index.places() == index.unsortedPlaces().sorted() && index.places(ofType: 9).isEmpty)
    }

    @Test func pageIsOfOneTimeDespiteSavesDuringIt() async throws {
        let folder = try TemporaryFolder()
        let file = try FileRecordDatabase(path: folder.path())
        let count = 2_000
        func records(_ version: Int64) throws -> [Record] {
            try (0..<count).map { try Flat.record("Book/\($0)", ["version": .int(version)]) }
        }
        try await file.commit(RecordBatch(saving: records(0), savePolicy: .overwrite))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for version in 1...10 {
                    try await file.commit(RecordBatch(saving: records(Int64(version)), savePolicy: .overwrite))
                    try await file.compact()
                }
            }
            for _ in 0..<20 {
                let page = try await file.page(RecordQuery("Book", order: [RecordOrder("version")]))
                #expect(page.records.count == count)
                #expect(Set(page.records.map { $0["version"] }).count == 1)
            }
            try await group.waitForAll()
        }
    }
}
