import Foundation
import NestedRecords
import NestedRecordsFile
import NestedRecordsHTTP
import NestedRecordsSync
import NotesModel

// NotesClient FILE USER [TEXT]: adds a note, carries over what has changed on both sides, and lists the notes.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let address = URL(string: "http://127.0.0.1:8080/records") else {
    print("usage: NotesClient FILE USER [TEXT]")
    exit(2)
}
let (file, user) = (arguments[1], arguments[2])

var options = RemoteRecordDatabase.Options()
options.accessToken = { refused in
    guard refused == nil else { throw RecordDatabaseError(.notSignedIn, reason: "Sign in again.") }
    return "token-of-\(user)"
}
let device = try FileRecordDatabase(path: file)
let store = RecordStore(device)
let sync = try RecordSync(device, with: RemoteRecordDatabase(address, options: options), named: "server")
if let text = arguments.dropFirst(2).first {
    try await store.insert(Note(id: UUID().uuidString, owner: user, text: text))
}
do {
    let outcome = try await sync.synchronize()
    print("received \(outcome.savedCount), sent \(outcome.pushedCount)")
} catch {
    print("not synchronized:", error)
}
for conflict in try await sync.conflicts() { print("changed on both sides:", conflict.recordID, conflict.fields) }
let notes = try await store.query(Note.self).sorted { $0.text }.all()
for note in notes { print(note.text) }
try await device.close()
