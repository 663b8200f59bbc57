import Foundation
import NestedRecords
import Testing

/// Errors as a user of the library makes, catches and reads them: without access to what is internal.
@Suite struct PublicErrorTests {
    private struct Cause: Error, CustomStringConvertible {
        var description: String { "the line is cut" }
    }

    private enum Key: String, CodingKey { case name }

    private let pupil: Record.ID
    private let school: Record.ID

    init() throws {
        pupil = try Record.ID("Pupil/1")
        school = try Record.ID("School/1")
    }

    private var context: RecordContext {
        RecordContext(
            record: pupil, field: "name", codingPath: [Key.name],
            chain: [
                RecordContext.Step(record: school, path: "pupils[0]"), RecordContext.Step(record: pupil, path: "name"),
            ])
    }

    @Test func recordErrorsCarryTheirDetails() throws {
        let id = RecordError.invalidID(type: "A", name: "b", reason: "no", context: nil)
        #expect([id.recordType, id.recordName, id.reason] == ["A", "b", "no"])
        #expect(id.context.description.isEmpty)
        #expect(RecordError.invalidKey("a", reason: "no", context: nil).key == "a")
        let list = RecordError.invalidPropertyList("list", type: "Pupil", reason: "no")
        #expect([list.propertyList, list.modelType] == ["list", "Pupil"])
        #expect(RecordError.invalidLocation("1;x", reason: "no").locationString == "1;x")
        let conflict = RecordError.conflict(pupil, field: "name", first: [Key.name], second: [])
        #expect(conflict.recordID == pupil && conflict.field == "name")
        #expect(conflict.firstPath.map(\.stringValue) == ["name"] && conflict.secondPath.isEmpty)
        let mismatch = RecordError.typeMismatch(expected: "Pupil", found: school, context: context)
        #expect(mismatch.expectedType == "Pupil" && mismatch.recordID == school)
        #expect(mismatch.context.record == pupil && mismatch.context.chain == context.chain)
        let identity = RecordError.identityMismatch(decoded: "Pupil/2", record: pupil, context: context)
        #expect(identity.decodedIdentity == "Pupil/2")
        #expect(RecordError.referenceCycle(context.chain, context: context).cycle == context.chain)
        #expect(RecordError.depthLimitExceeded(3, context: context).limit == 3)
        let fetch = RecordError.fetchFailed([pupil], context: context, underlyingError: Cause())
        #expect(fetch.recordIDs == [pupil] && fetch.underlyingError is Cause)
    }

    @Test func codesAreCaught() throws {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch RecordError.Code.recordNotFound {
                return "not found"
            } catch RecordDatabaseError.Code.conflict {
                return "conflict"
            } catch RecordChangeError.Code.identityChanged {
                return "changed"
            } catch RecordFormatError.Code.truncated {
                return "truncated"
            } catch let error as RecordError where error.code == .conflict {
                return "two values"
            } catch {
                return "else"
            }
        }
        let record = try Record(id: pupil)
        #expect(caught(RecordError.recordNotFound(pupil)) == "not found")
        #expect(caught(RecordDatabaseError.conflict(client: record, server: record)) == "conflict")
        #expect(caught(RecordChangeError.identityChanged(from: pupil, to: school)) == "changed")
        #expect(caught(RecordFormatError(.truncated, at: 0)) == "truncated")
        #expect(caught(RecordError.conflict(pupil, field: "a", first: [], second: [])) == "two values")
        #expect(caught(RecordDatabaseError.duplicateID(pupil)) == "else")
        #expect(caught(Cause()) == "else")
    }

    @Test func codesPrintAsTheirNames() {
        #expect("\(RecordError.Code.recordNotFound)" == "recordNotFound")
        #expect("\(RecordDatabaseError.Code.partiallySaved)" == "partiallySaved")
        #expect("\(RecordChangeError.Code.contestedField)" == "contestedField")
        #expect("\(RecordFormatError.Code.truncated)" == "truncated")
    }

    @Test func errorsAreSmall() {
        #expect(MemoryLayout<RecordError>.size == MemoryLayout<Int>.size)
        #expect(MemoryLayout<RecordDatabaseError>.size == MemoryLayout<Int>.size)
    }
}
