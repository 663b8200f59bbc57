import Foundation
import NestedRecords

extension StandInServer {
    /// "Always executed atomically and in order".
    ///
    /// https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents/commit
    func commit(_ json: StandInJSON) throws -> StandInJSON {
        try json.checkMembers(["writes", "transaction"])
        let writes = try (json["writes"]?.list ?? []).map { try Write($0, self) }
        return try state.withLock { state in
            // "The time at which the server processed the request, with millisecond precision", the same for all fields:
            // https://firebase.google.com/docs/firestore/reference/rest/v1/Write#ServerValue
            let requestTime = StandInTime(microseconds: Int64(Date().timeIntervalSince1970 * 1_000) * 1_000)
            let time = Self.tick(&state)
            var documents = state.documents
            var results: [StandInJSON] = []
            for write in writes { results.append(try write.apply(to: &documents, at: time, requestTime)) }
            for path in Set(writes.map(\.path)) { state.put(documents[path], at: path, time) }
            return .make(["writeResults": .list(results), "commitTime": .text(time.text)])
        }
    }

    // https://firebase.google.com/docs/firestore/reference/rest/v1/Write
    private struct Write {
        let path: StandInName

        /// The fields of an update; nil for a deletion.
        let fields: [StandInName: StandInValue]?
        let mask: [[StandInName]]?
        let transforms: [[StandInName]]
        let precondition: StandInJSON?

        init(_ json: StandInJSON, _ server: StandInServer) throws {
            try json.checkMembers(["update", "delete", "updateMask", "updateTransforms", "currentDocument"])
            if let update = json["update"] {
                try update.checkMembers(["name", "fields"])
                path = try server.path(update["name"])
                fields = try StandInValue.fields(update["fields"], depth: 0)
            } else {
                path = try server.path(json["delete"])
                fields = nil
            }
            try json["updateMask"]?.checkMembers(["fieldPaths"])
            mask = try json["updateMask"].map {
                try ($0["fieldPaths"]?.list ?? []).map { try StandInDocument.path($0.text ?? "") }
            }
            transforms = try (json["updateTransforms"]?.list ?? []).map { transform in
                try transform.checkMembers(["fieldPath", "setToServerValue"])
                guard transform["setToServerValue"]?.text == "REQUEST_TIME" else {
                    throw StandInError.invalid("found an unknown transform")
                }
                return try StandInDocument.path(transform["fieldPath"]?.text ?? "")
            }
            // "Maximum number of field transformations … : 500": https://firebase.google.com/docs/firestore/quotas
            if transforms.count > 500 { throw StandInError.invalid("more than 500 field transformations") }
            precondition = json["currentDocument"]
            try precondition?.checkMembers(["exists", "updateTime"])
        }

        func apply(
            to documents: inout [StandInName: StandInDocument], at time: StandInTime, _ requestTime: StandInTime
        ) throws -> StandInJSON {
            let former = documents[path]
            try checkPrecondition(former)
            guard let fields else {
                documents[path] = nil
                // "Not set after a delete": https://firebase.google.com/docs/firestore/reference/rest/v1/WriteResult
                return .make([:])
            }
            var document = former ?? StandInDocument(fields: [:], created: time, updated: time)
            if let mask {
                // "If the mask is set …, they are left unchanged."
                for path in mask {
                    guard path.count == 1 else { throw StandInError.invalid("masks of nested fields are not imitated") }
                    document.fields[path[0]] = fields[path[0]]
                }
            } else {
                document.fields = fields
            }
            for transform in transforms { document.set(transform, .time(requestTime)) }
            // "If the write did not actually change the document, this will be the previous updateTime."
            if former.map({ !StandInValue.areSame($0.fields, document.fields) }) ?? true { document.updated = time }
            let size = document.fields.reduce(path.bytes.count + 32) { $0 + $1.key.bytes.count + 1 + $1.value.size }
            // "Maximum size for a document: 1 MiB - 4 bytes": https://firebase.google.com/docs/firestore/quotas
            if size > (1 << 20) - 4 {
                throw StandInError.invalid(
                    "Document \"\(path.text)\" cannot be written because its size exceeds the limit")
            }
            documents[path] = document
            return .make([
                "updateTime": .text(document.updated.text),
                "transformResults": transforms.isEmpty
                    ? nil : .list(transforms.map { _ in StandInValue.time(requestTime).json }),
            ])
        }

        // https://firebase.google.com/docs/firestore/reference/rest/v1/Precondition
        private func checkPrecondition(_ document: StandInDocument?) throws {
            guard let precondition else { return }
            if let text = precondition["updateTime"]?.text {
                // "Timestamp must be microsecond aligned."
                guard let time = StandInTime(text), text.utf8.count <= 27 else {
                    throw StandInError.invalid("Invalid value at 'update_time'")
                }
                guard let document else { throw StandInError.missing("No document to update: \(path.text)") }
                if document.updated != time {
                    throw StandInError.unmet("the stored version does not match the required base version")
                }
            } else if precondition["exists"]?.bool == true, document == nil {
                throw StandInError.missing("No document to update: \(path.text)")
            } else if precondition["exists"]?.bool == false, document != nil {
                throw StandInError.exists("Document already exists: \(path.text)")
            }
        }
    }
}
