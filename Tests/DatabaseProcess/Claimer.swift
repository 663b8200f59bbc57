import NestedRecords

/// Inserts, changes and deletes accounts whose addresses are unique, of which there are few.
struct Claimer {
    struct Account: RecordCodable, Identifiable {
        var id: String
        var address: String?
        static let recordType = "ClaimingAccount"
        static let schema = RecordSchema(unique: ["address"])
    }

    let name: String
    let store: RecordStore
    private var number = 0

    init(name: String, store: RecordStore) { (self.name, self.store) = (name, store) }

    mutating func takeStep() async throws {
        number += 1
        let address = "\(Int.random(in: 0..<5))@example.org"
        let own = "\(name)-\(Int.random(in: 0..<4))"
        do {
            switch Int.random(in: 0..<4) {
            case 0: try await store.delete(Account.self, named: own)
            case 1: try await store.update(Account.self, named: own) { $0.address = address }
            case 2: try await store.overwrite(Account(id: own, address: address))
            default: try await store.insert(Account(id: own, address: address))
            }
            report("done \(number)")
        } catch RecordDatabaseError.Code.valueTaken {
            report("taken \(number)")
        } catch RecordDatabaseError.Code.conflict {
            report("exists \(number)")
        } catch RecordError.Code.recordNotFound {
            report("missing \(number)")
        }
    }
}
