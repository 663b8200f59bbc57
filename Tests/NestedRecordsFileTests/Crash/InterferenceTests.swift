import Foundation
import TestSupport
import Testing

@testable import NestedRecords
@testable import NestedRecordsFile

/// What others do to the file or its folder.
@Suite struct InterferenceTests {
    private let batches = CountedBatches(width: 3)

    @Test func truncationIsNoticedBeforeTheNextSave() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        for number in 1...2 { try await batches.save(number, in: database) }
        let size = disk.state.bytes.count - 1
        disk.change { state in
            if let number = state.names[SimulatedDisk.path] { state.files[number]?.resize(to: size) }
        }
        for _ in 1...2 {
            await #expect {
                try await batches.save(3, in: database)
            } throws: { error in
                guard let error = error as? RecordDatabaseError else { return false }
                return error.code == .corrupt && error.offset == size
            }
        }
        #expect(disk.state.bytes.count == size)
    }

    /// The administrator may list every folder.
    @Test(.enabled(if: geteuid() != 0)) func folderThatMayNotBeListedIsWrittenTo() async throws {
        let folder = try TemporaryFolder()
        let path = URL(filePath: folder.path()).deletingLastPathComponent().path
        #expect(chmod(path, 0o311) == 0)
        defer { _ = chmod(path, 0o755) }
        do {
            let database = try FileRecordDatabase(path: folder.path())
            try await batches.save(1, in: database)
            try await database.compact()
            try await database.close()
        }
        #expect(try await FileRecordDatabase(path: folder.path()).numbers(of: [batches]) == [1])
    }

    @Test func longRecordKeepsNoMemory() async throws {
        let disk = SimulatedDisk()
        let database = try disk.open()
        try await database.commit(
            RecordBatch(
                saving: [
                    Flat.record("A/1", ["text": .string(String(repeating: "x", count: 5 << 20))]), Flat.record("A/2"),
                ], savePolicy: .overwrite))
        let view = try database.store.file.currentView()
        let places = view.index.places()
        var reader = EntryReader(seed: view.seed)
        var window = BufferedReader(file: view.file, end: view.end)
        for (place, most) in zip([places[0], places[1]], [6 << 20, 1 << 20]) {
            try reader.read(place, in: view.file) { _, _ in }
            #expect(reader.memory <= most)
        }
        try window.withBytes(5 << 20, at: 0) { _ in }
        try window.withBytes(100, at: view.end - 100) { _ in }
        #expect(window.memory <= 1 << 20)
    }
}
