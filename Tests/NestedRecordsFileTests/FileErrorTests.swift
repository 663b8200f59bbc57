import Foundation
import NestedRecords
import Testing

@testable import NestedRecordsFile

@Suite struct FileErrorTests {
    @Test func refusalsOfTheSystemNameOperationAndNumber() {
        let refused = RecordDatabaseError.inputOutput(path: "a", operation: "open", errno: Int(EACCES))
        #expect("\(refused)".hasPrefix("the system could not open the file a: "))
        #expect("\(refused)".hasSuffix(" (error \(EACCES))"))
        #expect(refused.path == "a" && refused.operation == "open" && refused.systemCode == "\(EACCES)")
        #expect(refused.isSystemError(Int(EACCES)) && !refused.isSystemError(Int(EPERM)))
    }

    @Test func damageNamesItsPlace() {
        let damage = RecordDatabaseError(.corrupt, reason: "a block", path: "a", offset: 7)
        #expect("\(damage)" == "the file a is damaged at byte 7: a block")
        #expect(damage.offset == 7 && damage.reason == "a block")
    }
}
