import Foundation
import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

@Suite struct SizeReportTests {
    @Test(arguments: ["school.jsonl", "- < school.jsonl"])
    func linesAreCountedByType(_ input: String) throws {
        let folder = try ToolFolder()
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        let output = """
            type    records  fields  bytes  references out  references in
            House         1       3     94               1              1
            Person        2       5    182               2              7
            School        1       6    277               6              1

            types         3
            records       4
            fields       14
            references    9
            bytes       553

            """
        #expect(try folder.run("records ls \(input) --sizes") == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func recordFileReportsBytesInUse() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("many.records")
        let records = try (0..<1_234).map { number in
            try ToolFolder.record(
                #"{"id":"Item/\#(number)","fields":{"n":\#(number),"in":{"$ref":"Box/\#(number % 7)"}}}"#)
        }
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        try await database.commit(
            RecordBatch(deletingAnyVersionOf: records.prefix(34).map(\.id), savePolicy: .overwrite))
        try await database.compact()
        let box = try Record(id: Record.ID("Box/0"))
        try await database.commit(RecordBatch(saving: [box], savePolicy: .overwrite))
        try await database.commit(RecordBatch(saving: [box], savePolicy: .overwrite))
        try await database.close()

        let statistics = try await folder.statistics("many.records")
        let (boxes, items) = (try #require(statistics.types.first), try #require(statistics.types.last))
        #expect(statistics.deadByteCount > 0)
        let output = """
            type  records  fields   bytes  references out  references in
            Box         1       0  \(boxes.byteCount.grouped.padded(6))               0          1,200
            Item    1,200   2,400  \(items.byteCount.grouped)           1,200              0

            types              2
            records        1,201
            fields         2,400
            references     1,200
            live bytes    \(statistics.liveByteCount.grouped)
            dead bytes    \(statistics.deadByteCount.grouped)
            file size    \(statistics.fileSize.grouped)
            compactions        1

            """
        #expect(try folder.run("records ls many.records --sizes") == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func nothingIsCountedAsNothing() throws {
        let folder = try ToolFolder()
        let output = """
            type  records  fields  bytes  references out  references in

            types       0
            records     0
            fields      0
            references  0
            bytes       0

            """
        #expect(try folder.run("records ls - --sizes < /dev/null") == ToolRun(status: 0, output: output, errors: ""))
    }

    @Test func lastLineWithoutItsEndAndWindowsLinesCount() throws {
        let folder = try ToolFolder()
        let line = #"{"id":"A/1","fields":{}}"#
        let run = try folder.run("records ls - --sizes", input: "\u{feff}\(line)\r\n\r\n\(line)")
        // The mark has 3 bytes, the carriage return one.
        #expect(run.output.hasSuffix("bytes       \(2 * line.utf8.count + 4)\n"))
        #expect(run.status == 0)
    }
}

extension String {
    /// Spaces before this text.
    fileprivate func padded(_ width: Int) -> String { String(repeating: " ", count: width - count) + self }
}

extension ToolFolder {
    /// What a record file holds.
    func statistics(_ name: String) async throws -> FileRecordDatabase.Statistics {
        try await FileRecordDatabase(path: path(name), options: .readOnly).statistics()
    }
}
