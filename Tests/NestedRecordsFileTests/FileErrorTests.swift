import Foundation
import NestedRecordsFile
import Testing

@Suite struct FileErrorTests {
    @Test func errorsDescribeThemselves() {
        let errors: [(FileRecordDatabaseError, FileRecordDatabaseError.Code, String)] = [
            (.locked(path: "a"), .locked, "the file a is open for writing somewhere else"),
            (.corrupt(path: "a", offset: 7, what: "a block"), .corrupt, "the file a is damaged at byte 7: a block"),
            (
                .unsupportedVersion(path: "a", version: 9), .unsupportedVersion,
                "the file a cannot be read: its format version 9 is not supported"
            ),
            (.notARecordFile(path: "a"), .notARecordFile, "the file a is not a record file"),
            (
                .invalidPath(path: "a\u{0}", reason: "no"), .invalidPath, #"the path "a\0" cannot be opened: no"#
            ),
            (
                .fileReplaced(path: "a"), .fileReplaced,
                "the file a was moved, deleted or replaced since it was opened; nothing was written"
            ),
            (
                .hardLinked(path: "a", count: 2), .hardLinked,
                "the file a has 2 names (hard links), and only one name would refer to the compacted file"
            ),
            (
                FileRecordDatabaseError(.notReplaceable, path: "a"), .notReplaceable,
                "the file a cannot be replaced by a compacted one; 'records copy' makes a compacted copy of it"
            ),
            (.diskFull(path: "a", operation: "write"), .diskFull, "there is no room to write the file a"),
            (.closed(path: "a"), .closed, "the database in the file a is closed"),
            (.readOnly(path: "a"), .readOnly, "the database in the file a was opened only for reading"),
        ]
        for (error, code, text) in errors {
            #expect(error.code == code)
            #expect(error.path.hasPrefix("a"))
            #expect("\(error)" == text)
            #expect((error as any Error).localizedDescription == text)
        }
        let refused = FileRecordDatabaseError.inputOutput(path: "a", operation: "open", errno: EACCES)
        #expect("\(refused)".hasPrefix("the system could not open the file a: "))
        #expect("\(refused)".hasSuffix(" (error \(EACCES))"))
    }

    @Test func errorsCarryTheirDetails() {
        let damage = FileRecordDatabaseError.corrupt(path: "a", offset: 7, what: "a block")
        #expect(damage.offset == 7 && damage.reason == "a block")
        let refused = FileRecordDatabaseError.inputOutput(path: "a", operation: "open", errno: EACCES)
        #expect(refused.operation == "open" && refused.systemErrorNumber == EACCES)
        #expect(FileRecordDatabaseError.unsupportedVersion(path: "a", version: 9).formatVersion == 9)
        #expect(FileRecordDatabaseError.hardLinked(path: "a", count: 2).linkCount == 2)
    }

    @Test func codesAreCaughtAndPrintAsTheirNames() throws {
        do {
            throw FileRecordDatabaseError.locked(path: "a")
        } catch FileRecordDatabaseError.Code.closed {
            Issue.record("another code was caught")
        } catch FileRecordDatabaseError.Code.locked {
            #expect("\(FileRecordDatabaseError.Code.locked)" == "locked")
        }
    }

    @Test func errorsCanBeMade() {
        let code = FileRecordDatabaseError.Code(rawValue: "encrypted")
        let error = FileRecordDatabaseError(code, path: "a", reason: "there is no key")
        #expect("\(error)" == "encrypted (file a): there is no key")
        let damage = FileRecordDatabaseError(.corrupt, path: "a", underlyingError: error)
        #expect("\(damage)" == "the file a is damaged at byte (unknown): \(error)")
    }
}
