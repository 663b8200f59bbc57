import Foundation

extension StandInCloud {
    typealias ModifyResults = (
        saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
        deleteResults: [CKRecord.ID: Result<Void, any Error>]
    )

    /// Saves and deletes records; `atomically` is nil for the calls of one record.
    func modify(
        _ database: CKDatabase, _ name: Call.Name, _ records: [CKRecord], _ deletions: [CKRecord.ID],
        _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ atomically: Bool?
    ) throws -> ModifyResults {
        let saving = records.map(\.recordID.recordName), deleting = deletions.map(\.recordName)
        return try perform(name, database, saving: saving, deleting: deleting) { user, state in
            let batch = records.map(\.state.value)
            let limits = state.settings
            // The request, then each record: see the settings.
            let size = batch.reduce(0) { $0 + $1.size }
            if batch.count + deletions.count > limits.itemLimit || size > limits.requestLimit {
                throw CKError(.limitExceeded)
            }
            if Set(batch.map(\.id) + deletions).count < batch.count + deletions.count {
                throw CKError.invalid("a record is twice in the request")  // [not verified]
            }
            var errors: [CKRecord.ID: CKError] = [:], saved: [CKRecord.ID: StandInRecord] = [:]
            try state.use(self, database, user) { store, state in
                // Each zone for itself:
                // https://developer.apple.com/documentation/cloudkit/ckmodifyrecordsoperation/isatomic
                for zoneID in Set((batch.map(\.id) + deletions).map(\.zoneID)) {
                    let part = StandInBatch(
                        cloud: self, user: user, policy: policy, saving: batch.filter { $0.id.zoneID == zoneID },
                        deleting: deletions.filter { $0.zoneID == zoneID },
                        refusesMissing: name == .deleteRecord || limits.refusesMissingDeletions)
                    let done = try part.commit(zoneID, &store, &state, isAtomic: atomically == true)
                    errors.merge(done.errors) { $1 }
                    saved.merge(done.saved) { $1 }
                }
            }
            if atomically == true, !errors.isEmpty, limits.throwsAtomicFailures {
                let items = Dictionary(uniqueKeysWithValues: errors.map { (AnyHashable($0), $1 as any Error) })
                throw CKError(.partialFailure, userInfo: [CKPartialErrorsByItemIDKey: items])
            }
            var results: ModifyResults = ([:], [:])
            for id in batch.map(\.id) {
                if let error = errors[id] { results.saveResults[id] = .failure(error) }
                if let record = saved[id] { results.saveResults[id] = .success(try delivered(record, nil)) }
            }
            for id in deletions { results.deleteResults[id] = errors[id].map { .failure($0) } ?? .success(()) }
            return results
        }
    }
}

extension CKError {
    static func invalid(_ message: String) -> CKError {
        CKError(.invalidArguments, userInfo: [NSLocalizedDescriptionKey: message])
    }
}
