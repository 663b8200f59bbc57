import Foundation
@_spi(Engines) import NestedRecords
import TestSupport
import Testing

/// Errors as a user makes, catches and reads them; other tests do not compare their messages.
@Suite struct ErrorMessageTests {
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

    private let suffix = ", at 'name' in record Pupil/1, field 'name' (School/1 .pupils[0] → Pupil/1)"

    @Test func recordErrorsDescribeThemselves() throws {
        let errors: [(RecordError, RecordError.Code, String)] = [
            (
                .invalidID(type: "A", name: "", reason: "it is empty", context: context), .invalidID,
                "'A/' is not the ID of a record: it is empty" + suffix
            ),
            (
                .invalidKey("a\n", reason: "no", context: context), .invalidKey,
                "there is no field for the key 'a\\n': no" + suffix
            ),
            (
                .invalidSchema("ignoring", type: "Pupil", reason: "no"), .invalidSchema,
                "'ignoring' in the schema of the type Pupil is not valid: no"
            ),
            (.invalidLocation("1;x", reason: "no"), .invalidLocation, "'1;x' is not a location: no"),
            (
                .conflict(pupil, field: "name", first: [], second: [Key.name]), .conflict,
                "two values with the ID Pupil/1 differ in field 'name': one is the root, the other at 'name'"
            ),
            (
                .conflict(pupil, field: "name", first: [], second: []), .conflict,
                "two values with the ID Pupil/1 differ in field 'name'"
            ),
            (RecordError(.recordNotFound, recordID: pupil), .recordNotFound, "there is no record Pupil/1"),
            (
                RecordError(.danglingReference, recordID: school, context: context), .danglingReference,
                "there is no record School/1, which is referred to" + suffix.dropFirst()
            ),
            (
                .typeMismatch(expected: "Pupil", found: school, context: context), .typeMismatch,
                "the record School/1 is not of the type Pupil" + suffix
            ),
            (
                .unregisteredType(of: school, expected: "Animal", context: context), .unregisteredType,
                "no registered type decodes record School/1 as Animal" + suffix
            ),
            (
                .identityMismatch(decoded: "Pupil/2", record: pupil, context: context), .identityMismatch,
                "decoded identity Pupil/2 does not match record Pupil/1: the property that identifies the value must have a "
                    + "coding key or @RecordName, and must be read unchanged" + suffix
            ),
            (
                .referenceCycle(context.chain + context.chain.prefix(1), context: context), .referenceCycle,
                "records contain each other: School/1 .pupils[0] → Pupil/1 .name → School/1: "
                    + "make 'name' of Pupil a RecordLink" + suffix
            ),
            (
                .depthLimitExceeded(3, context: context), .depthLimitExceeded,
                "the value is nested more than 3 levels deep" + suffix
            ),
            (
                .recordLimitExceeded(4, context: context), .recordLimitExceeded,
                "the graph has more than 4 records: raise maximumRecords of the decoder, or end it with a RecordLink"
                    + suffix
            ),
            (
                RecordError(.invalidResponse, reason: "it gave nothing", context: context), .invalidResponse,
                "the database returned an invalid response: it gave nothing" + suffix
            ),
        ]
        for (error, code, text) in errors {
            #expect(error.code == code)
            #expect("\(error)" == text)
            #expect((error as any Error).localizedDescription == text)
        }
        #expect(Set(errors.map(\.1)).count == 14)
    }

    @Test func databaseErrorsDescribeThemselves() throws {
        var server = try Record(id: pupil)
        server.metadata = Record.Metadata(changeTag: "b", creationDate: .now, modificationDate: .now)
        let client = try Record(id: pupil)
        let metadata = try #require(server.metadata)
        let errors: [(RecordDatabaseError, RecordDatabaseError.Code, String)] = [
            (
                RecordDatabaseError(.conflict, .versions(client: client, server: server)), .conflict,
                "record Pupil/1 already exists (version b)"
            ),
            (
                RecordDatabaseError(.unknownRecord, .versions(client: server)), .unknownRecord,
                "record Pupil/1 does not exist, and the one to save is at version b"
            ),
            (
                RecordDatabaseError(.duplicateID, recordID: pupil), .duplicateID,
                "the record Pupil/1 is named twice in one batch"
            ),
            (
                RecordDatabaseError(.batchTooLarge, .size(3, limit: 2)), .batchTooLarge,
                "the batch has 3 records, the database takes 2 at a time"
            ),
            (
                RecordDatabaseError(.partiallySaved, .saved([pupil: metadata]), underlyingError: Cause()),
                .partiallySaved,
                "only a part of the graph was saved, 1 of its records as given: the line is cut"
            ),
            (
                RecordDatabaseError(.partiallyDeleted, .deleted([pupil]), underlyingError: Cause()), .partiallyDeleted,
                "only the first 1 records were deleted (Pupil/1): the line is cut"
            ),
        ]
        for (error, code, text) in errors {
            #expect(error.code == code)
            #expect("\(error)" == text)
            #expect((error as any Error).localizedDescription == text)
        }
        #expect(errors[0].0.clientRecord == client && errors[0].0.serverRecord == server)
        #expect(errors[0].0.recordID == pupil && errors[1].0.recordID == pupil)
        #expect(errors[4].0.savedMetadata == [pupil: metadata] && errors[4].0.underlyingError is Cause)
        #expect(errors[5].0.deletedIDs == [pupil])
    }

    @Test func changeErrorsDescribeThemselves() throws {
        let moved = RecordError.identityChanged(from: pupil, to: school)
        #expect("\(moved)" == "the record Pupil/1 was to be changed, and has become School/1")
        #expect(moved.recordID == pupil)
        let conflict = SaveConflict(
            client: try Record(id: pupil, fields: ["age": 1]), server: try Record(id: pupil, fields: ["age": 2]))
        let contested = try #require(throws: RecordError.self) { try conflict.merged() }
        #expect(
            "\(contested)"
                == "the field age of record Pupil/1 is 1 in the record to save and 2 in the database's, and was absent")
        #expect(contested.recordID == pupil && contested.field == "age")
    }

    @Test func formatErrorsDescribeThemselves() {
        let errors: [(RecordFormatError, String)] = [
            (RecordFormatError(.truncated, at: 3), "the bytes end before the record does at byte 3"),
            (
                RecordFormatError(.trailingBytes, at: 3, number: 2),
                "the record ends 2 bytes before the bytes do at byte 3"
            ),
            (
                RecordFormatError(.invalidID, at: 3, reason: "it is empty", recordID: pupil, field: "a"),
                "an ID is not valid: it is empty at byte 3 of record Pupil/1, field \"a\""
            ),
            (
                RecordFormatError(.repeatedFieldName, at: 3, repeatedName: "a"),
                "two fields have the name \"a\" at byte 3"
            ),
        ]
        for (error, text) in errors { #expect("\(error)" == text) }
    }

    @Test func databasesMayAddCodes() {
        let code = RecordDatabaseError.Code("roomIsFull", kind: .unavailable)
        let error = RecordDatabaseError(
            code, reason: "1 GB is full", recordID: pupil, underlyingError: Cause())
        #expect(error.code == code)
        #expect("\(error)" == "roomIsFull (record Pupil/1): 1 GB is full: the line is cut")
        let other = RecordError(
            RecordError.Code("encrypted", kind: .unsupported), reason: "there is no key", context: context)
        #expect("\(other)" == "encrypted: there is no key" + suffix)
        let change = RecordError(RecordError.Code("frozen", kind: .conflict), recordID: pupil)
        #expect("\(change)" == "frozen (record Pupil/1)")
    }

    @Test(
        arguments: [
            (.locked, "the file f is open for writing somewhere else"),
            (.busy, "the database in the file f was in use by others for too long; nothing was written"),
            (.overloaded, "too many commits wait for the database; nothing was written"),
            (.notConnected, "the database server cannot be reached"),
            (.connectionLost, "the connection to the database was lost (to save)"),
            (
                .unknownOutcome,
                "the connection to the database was lost during a save; the batch may or may not be saved"
            ),
            (.diskFull, "there is no room to save the file f"),
            (.inputOutput, "the system could not save the file f"),
            (.cannotOpen, "the file f cannot be opened"),
            (.fileReplaced, "the file f was moved, deleted or replaced since it was opened; nothing was written"),
            (.closed, "the database in the file f is closed"),
            (.notPrepared, "the database has no tables for records; call prepare() first"),
            (.corrupt, "the file f is damaged at byte 7"),
            (.unsupportedVersion, "the file f is of version 9, which this library does not know"),
            (.readOnly, "the file f cannot be written"),
            (.notReplaceable, "the file f cannot be replaced by a compacted one"),
            (.hardLinked, "the file f cannot be compacted, as it has several names (hard links)"),
            (.unsupported, "the database does not support the operation"),
            (.refused, "the database in the file f refused to save"),
            (.notARecordDatabase, "the file f is not a database of records"),
            (.invalidPath, #"the path "f" cannot be opened"#),
            (.invalidConnection, "the connection string cannot be read"),
            (.invalidOptions, "the options cannot be used"),
            (.recordTooLarge, "a record is too large for the database in the file f"),
        ] as [(RecordDatabaseError.Code, String)])
    func failuresOfStorageNameTheFileAndTheReason(_ code: RecordDatabaseError.Code, _ summary: String) {
        let detail: RecordDatabaseError.Detail =
            switch code {
            case .corrupt: .offset(7)
            case .unsupportedVersion: .version(9)
            default: .system(operation: "save", code: "13")
            }
        let error = RecordDatabaseError(
            code, detail, reason: "it\r\nbroke", path: "f", hint: "mend it", underlyingError: Cause())
        let number = error.systemCode == nil ? "" : " (error 13)"
        #expect("\(error)" == summary + ": it broke\(number): the line is cut; mend it")
        #expect(error.localizedDescription == "\(error)")
        #expect(error.isTransient == code.isTransient)
        let nameless = RecordDatabaseError(code)
        #expect(!"\(nameless)".contains("nil") && !"\(nameless)".contains("Optional"))
    }

    @Test func errorsWithoutTheirDetailsPrintWhatIsKnown() {
        #expect("\(RecordError(.recordNotFound))" == "there is no record (unknown)")
        #expect("\(RecordError(.identityChanged, recordID: pupil))" == "identityChanged (record Pupil/1)")
        #expect("\(RecordError(.outsideScope))" == "the query is outside the scope")
        for (code, text) in [
            (.batchTooLarge, "the batch is too large"), (.corrupt, "the database is damaged"),
            (.partiallySaved, "only a part of the graph was saved"),
            (.partiallyDeleted, "only a part of the records was deleted"),
            (.savedButNotDecoded, "the value was saved, but cannot be decoded"),
            (.changeTokenExpired, "the change token has expired"),
            (.unsupportedVersion, "the database is of a version that this library does not know"),
            (.batchVoided, "the batch (unknown) was applied or voided before; nothing was written"),
        ] as [(RecordDatabaseError.Code, String)] {
            #expect("\(RecordDatabaseError(code))" == text)
        }
    }

    private struct Oops: Error { var number = 1 }

    private struct Failing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws { throw Oops() }
        func encode(to encoder: any Encoder) throws { throw Oops() }
    }

    private func message(_ call: () throws -> Any) throws -> String {
        let error = try #require(throws: (any Error).self) { try call() }
        switch error {
        case EncodingError.invalidValue(_, let context): return context.debugDescription
        case DecodingError.dataCorrupted(let context), DecodingError.keyNotFound(_, let context),
            DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            return context.debugDescription
        default: return "\(error)"
        }
    }

    private func message<Value: Codable & Equatable>(decoding _: Value.Type, _ value: Record.Value?) throws -> String {
        var record = try Flat.record("Holder/holder")
        record["value"] = value
        return try message { try RecordDecoder().decode(Holder<Value>.self, from: RecordGraph([record])) }
    }

    @Test func codingErrorsDescribeThemselves() throws {
        let place = ", in record Holder/holder, field 'value'"
        #expect(
            try message { try RecordEncoder().encode(Holder(Failing())) } == "encoding failed: Oops(number: 1)" + place)
        #expect(try message(decoding: Failing.self, [:]) == "decoding failed: Oops(number: 1)" + place)
        let hint = "; declare a property that is new in the schema's defaults"
        #expect(try message(decoding: Int.self, nil) == "there is no field 'value'" + hint + place)
        #expect(try message(decoding: UUID.self, "no\n\tway") == #"'no\n\tway' is not a UUID"# + place)
        #expect(try message(decoding: Location.self, "91;0") == "'91;0' is not a location" + place)
        #expect(try message(decoding: URL.self, "") == "'' is not a URL" + place)
    }

    private struct Marked: RecordEncodable, Identifiable {
        static let schema = RecordSchema(locations: ["place"], cascading: ["owner"])
        var id = 1
        var owner: String?
        var place: Int?
    }

    @Test func marksOfPropertiesThatDoNotFitDescribeThemselves() throws {
        #expect(
            try message { try RecordEncoder().encode(Marked(owner: "a")) }
                == "a cascading property must hold references, not a string, in record Marked/1, field 'owner'")
        #expect(
            try message { try RecordEncoder().encode(Marked(place: 1)) }
                == "a location property must hold strings, not an integer, in record Marked/1, field 'place'")
    }

    @Test func bothPlacesOfAConflictAreReported() throws {
        #expect(
            "\(RecordError.conflict(pupil, field: "name", first: [Key.name], second: [Key.name, Key.name]))"
                == "two values with the ID Pupil/1 differ in field 'name': one is at 'name', the other at 'name.name'")
    }

    private final class Node: RecordCodable, Identifiable {
        let id: Int
        let next: Node?

        init(id: Int, next: Node?) {
            self.id = id
            self.next = next
        }
    }

    @Test func longWaysAreDescribedByTheirBeginningAndEnd() throws {
        let node = (1...40).reversed().reduce(nil) { Node(id: $1, next: $0) }
        var encoder = RecordEncoder()
        encoder.coding.maximumDepth = 30
        let error = try #require(throws: RecordError.self) { try encoder.encode(try #require(node)) }
        #expect(
            error.description == """
                the value is nested more than 30 levels deep, at 'next.next.next.next.…22 more….next.next.next.next' \
                in record Node/30, field 'next' (Node/1 .next → Node/2 .next → Node/3 .next → Node/4 .next → \
                … 21 more … → Node/26 .next → Node/27 .next → Node/28 .next → Node/29 .next → Node/30)
                """)
    }

    @Test func mismatchSaysBothVersions() throws {
        var server = try Flat.record("A/1")
        server.metadata = Record.Metadata(changeTag: "b", creationDate: .now, modificationDate: .now)
        func text(_ expected: RecordBatch.Version, _ server: Record?) -> String {
            let detail = RecordDatabaseError.Detail.versions(server: server, expected: expected)
            return "\(RecordDatabaseError(.versionMismatch, detail, recordID: batchID))"
        }
        let batchID = server.id
        #expect(
            text(.changeTag("a"), server) == "record A/1 is at version b, not at the requested version a")
        #expect(
            text(.changeTag("a"), nil) == "record A/1 does not exist, and is requested at version a")
        #expect(text(.missing, server) == "record A/1 already exists (version b)")
    }

    @Test func otherErrorsDescribeThemselves() async throws {
        struct Versioned: RecordCodable, Identifiable {
            var id = 1
            static let schema = RecordSchema(version: 1)
        }
        let newer = try RecordGraph([Flat.record("Versioned/1", ["id": 1, "$version": 2])])
        #expect(
            try message { try RecordDecoder().decode(Versioned.self, from: newer) }
                == "the record Versioned/1 was written by version 2 of its type, and Versioned has version 1: "
                + "a newer program is needed")
        let filter = RecordFilter.all(Array(repeating: .exists("a"), count: 1_000))
        let query = await #expect(throws: RecordError.self) {
            try await InMemoryRecordDatabase().count(RecordQuery("Book", where: filter))
        }
        #expect(
            query?.description
                == "the filter is too large: it has 1001 terms, at most 1000 are allowed; a list counts as one")
    }

    // MARK: Details and codes

    @Test func recordErrorsCarryTheirDetails() throws {
        let id = RecordError.invalidID(type: "A", name: "b", reason: "no", context: nil)
        #expect([id.recordType, id.recordName, id.reason] == ["A", "b", "no"])
        #expect(id.context.description.isEmpty)
        #expect(RecordError.invalidKey("a", reason: "no", context: nil).key == "a")
        let schema = RecordError.invalidSchema("ignoring", type: "Pupil", reason: "no")
        #expect(schema.key == "ignoring")
        let conflict = RecordError.conflict(pupil, field: "name", first: [Key.name], second: [])
        #expect(conflict.recordID == pupil && conflict.field == "name")
        #expect(conflict.firstPath.map(\.stringValue) == ["name"] && conflict.secondPath.isEmpty)
        let mismatch = RecordError.typeMismatch(expected: "Pupil", found: school, context: context)
        #expect(mismatch.recordID == school)
        #expect(mismatch.context.record == pupil && mismatch.context.chain == context.chain)
        #expect(RecordError.referenceCycle(context.chain, context: context).cycle == context.chain)
        #expect(RecordError.depthLimitExceeded(3, context: context).limit == 3)
    }

    @Test func codesAreCaught() throws {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch RecordError.Code.recordNotFound {
                return "not found"
            } catch RecordDatabaseError.Code.conflict {
                return "conflict"
            } catch RecordError.Code.identityChanged {
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
        #expect(caught(RecordError(.recordNotFound, recordID: pupil)) == "not found")
        #expect(caught(RecordDatabaseError(.conflict, .versions(client: record, server: record))) == "conflict")
        #expect(caught(RecordError.identityChanged(from: pupil, to: school)) == "changed")
        #expect(caught(RecordFormatError(.truncated, at: 0)) == "truncated")
        #expect(caught(RecordError.conflict(pupil, field: "a", first: [], second: [])) == "two values")
        #expect(caught(RecordDatabaseError(.duplicateID, recordID: pupil)) == "else")
        #expect(caught(Cause()) == "else")
    }

    @Test func codesPrintAsTheirNames() {
        #expect("\(RecordError.Code.recordNotFound)" == "recordNotFound")
        #expect("\(RecordDatabaseError.Code.partiallySaved)" == "partiallySaved")
        #expect("\(RecordError.Code.contestedField)" == "contestedField")
        #expect("\(RecordFormatError.Code.truncated)" == "truncated")
    }

    @Test func errorOfDeepValuesIsSmall() {
        #expect(MemoryLayout<RecordError>.size == MemoryLayout<Int>.size)
    }
}
