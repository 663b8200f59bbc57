import Foundation
import NestedRecords
import NestedRecordsHTTP

/// A zone of a user's private database, or the public database, over CloudKit's web services.
///
/// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/index.html
struct WebServicesPort: CloudKitPort {
    let exchange: WebExchange

    /// The name of the zone; nil for the public database.
    let zone: String?

    /// The name of the user, whose tokens are of no other.
    private let user = Lock(String?.none)

    init(exchange: WebExchange, zone: String?) { (self.exchange, self.zone) = (exchange, zone) }

    var isZone: Bool { zone != nil }
    var deletesVersions: Bool { true }

    var assetZone: (any CloudKitPort)? {
        zone.map { WebServicesPort(exchange: exchange, zone: $0 + CloudKitNaming.assetZoneSuffix) }
    }

    private var zoneID: JSONValue? { zone.map { .object(["zoneName": .text($0)]) } }

    /// The records, the operations and the tokens of one request.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/PropertyMetrics.html
    static let mostItems = 200

    func records(named names: [String]) async throws -> [String: PortRecord] {
        let call = "records/lookup"
        let body = JSONValue.object([
            "records": .list(names.map { .object(["recordName": .text($0)]) }), "zoneID": zoneID,
            "numbersAsStrings": .bool(true),
        ])
        let answers = try Self.answers(try await exchange.send(call, body), names, call, isWrite: false)
        var found: [String: PortRecord] = [:]
        for (name, answer) in answers {
            if let error = WebError(answer) {
                if error.code == "NOT_FOUND" { continue }
                throw error.failure(isWrite: false)
            }
            // A record that was deleted is as one that never was.
            if answer["deleted"]?.bool == true { continue }
            guard var record = PortRecord(answer) else { throw WebExchange.unreadable(call) }
            if record.hasFile, let value = answer["fields"]?[ZoneAssetChunks.fileField]?["value"] {
                record.fields.values[ZoneAssetChunks.fileField] = .file(try await file(value))
            }
            found[name] = record
        }
        return found
    }

    /// The answers about records by their names, each of which has one.
    private static func answers(
        _ json: JSONValue, _ names: [String], _ call: String, isWrite: Bool
    ) throws -> [String: JSONValue] {
        var answers: [String: JSONValue] = [:]
        for answer in json["records"]?.elements ?? [] {
            guard let name = answer["recordName"]?.text, answers.updateValue(answer, forKey: name) == nil else {
                throw WebExchange.unreadable(call, isWrite: isWrite)
            }
        }
        guard Set(answers.keys) == Set(names) else { throw WebExchange.unreadable(call, isWrite: isWrite) }
        return answers
    }

    func modify(saving saves: [PortSave], deleting deletions: [PortDeletion]) async throws {
        let call = "records/modify"
        let files = try await uploadedFiles(of: saves)
        let body = JSONValue.object([
            "operations": .list(saves.map { operation(of: $0, files[$0.recordName]) } + deletions.map(operation(of:))),
            "zoneID": zoneID,
            "atomic": .bool(isZone), "numbersAsStrings": .bool(true), "desiredKeys": .list([]),
        ])
        let answer = try await exchange.send(call, body, isWrite: true)
        let names = saves.map(\.recordName) + deletions.map(\.recordName)
        let answers = try Self.answers(answer, names, call, isWrite: true)
        let unconditional = Set(deletions.filter { $0.base == nil }.map(\.recordName))
        var (outdated, missing): ([String], [String]) = ([], [])
        var isRefused = false
        for (name, answer) in answers {
            guard let error = WebError(answer) else { continue }
            switch error.code {
            // Records without a fault of their own.
            case "ATOMIC_ERROR": isRefused = true
            case "NOT_FOUND" where unconditional.contains(name): missing.append(name)
            case "NOT_FOUND": outdated.append(name)
            case _ where error.isOutdated: outdated.append(name)
            default: throw error.failure(isWrite: true)
            }
        }
        if !outdated.isEmpty { throw CloudKitFailure.outdated(recordNames: outdated) }
        if !missing.isEmpty { throw CloudKitFailure.missing(recordNames: missing) }
        if isRefused {
            throw CloudKitFailure.other(
                RecordDatabaseError(.refused, reason: "a part of the request failed, and none is named"))
        }
    }

    /// The values of the files of saves, by the names of their records.
    ///
    /// No record has a file before it is saved, so after a failure the upload is repeated.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html
    private func uploadedFiles(of saves: [PortSave]) async throws -> [String: JSONValue] {
        let call = "assets/upload"
        var values: [String: JSONValue] = [:]
        for save in saves {
            guard case .file(let bytes)? = save.set[ZoneAssetChunks.fileField] else { continue }
            let place = JSONValue.object([
                "recordName": .text(save.recordName), "recordType": .text(save.recordType),
                "fieldName": ZoneAssetChunks.fileField.json,
            ])
            let answer = try await exchange.send(call, .object(["tokens": .list([place]), "zoneID": zoneID]))
            guard let token = answer["tokens"]?.elements?.first else { throw WebExchange.unreadable(call) }
            if let error = WebError(token) { throw error.failure(isWrite: false) }
            guard let address = token["url"]?.text else { throw WebExchange.unreadable(call) }
            let file = try await exchange.sendFile(bytes, to: address)
            guard let value = (try? JSONValue(reading: file))?["singleFile"], value["receipt"]?.text != nil else {
                throw WebExchange.unreadable(call)
            }
            values[save.recordName] = value
        }
        return values
    }

    /// The bytes of a file in a record.
    private func file(_ value: JSONValue) async throws -> Data {
        guard let address = value["downloadURL"]?.text else { throw WebExchange.unreadable("records/lookup") }
        let bytes = try await exchange.sendFile(nil, to: address)
        let size = value["size"]?.double ?? value["size"]?.text.flatMap { Double($0) }
        if let size, size != Double(bytes.count) { throw WebExchange.unreadable("a file") }
        return Data(bytes)
    }

    private func operation(of save: PortSave, _ file: JSONValue?) -> JSONValue {
        var (names, values): ([String], [JSONValue]) = ([], [])
        for (name, value) in save.set {
            names.append(name)
            if case .file = value {
                values.append(.object(["value": file, "type": "ASSETID".json]))
            } else {
                values.append(value.json(in: zoneID))
            }
        }
        for name in save.removed {
            names.append(name)
            values.append(.object(["value": .null]))
        }
        let tag = save.base?.base as? String
        return .object([
            "operationType": tag == nil ? "create".json : "update".json,
            "record": .object([
                "recordName": .text(save.recordName), "recordType": .text(save.recordType),
                "recordChangeTag": tag?.json,
                "fields": .object(names: names, values),
            ]),
        ])
    }

    private func operation(of deletion: PortDeletion) -> JSONValue {
        let tag = deletion.base?.base as? String
        return .object([
            "operationType": tag == nil ? "forceDelete".json : "delete".json,
            "record": .object(["recordName": .text(deletion.recordName), "recordChangeTag": tag?.json]),
        ])
    }

    func records(ofType recordType: String, after marker: (any Sendable)?) async throws -> RecordsOfType {
        let call = "records/query"
        let body = JSONValue.object([
            "query": .object(["recordType": .text(recordType)]), "resultsLimit": .integer(Self.mostItems),
            "continuationMarker": (marker as? String)?.json, "numbersAsStrings": .bool(true),
        ])
        let answer: JSONValue
        do {
            answer = try await exchange.send(call, body)
        } catch CloudKitFailure.other(let error) where error.systemCode == "NOT_FOUND" && marker == nil {
            // The type has no records yet.
            return RecordsOfType(records: [], marker: nil)
        }
        guard let answers = answer["records"]?.elements else { throw WebExchange.unreadable(call) }
        // The index may still have a deleted record.
        let existing = answers.filter { WebError($0)?.code != "NOT_FOUND" }
        return RecordsOfType(
            records: try existing.map { try record($0, call) }, marker: answer["continuationMarker"]?.text)
    }

    private func record(_ json: JSONValue, _ call: String) throws -> PortRecord {
        if let error = WebError(json) { throw error.failure(isWrite: false) }
        guard let record = PortRecord(json) else { throw WebExchange.unreadable(call) }
        return record
    }

    func changes(since position: Data?, limit: Int?, hasFields: Bool) async throws -> ZoneChanges {
        let call = "changes/zone"
        let body = JSONValue.object([
            "zones": .list([
                .object([
                    "zoneID": zoneID, "syncToken": position.map { String(decoding: $0, as: UTF8.self).json },
                    "resultsLimit": .integer(min(limit ?? Self.mostItems, Self.mostItems)),
                    "desiredKeys": hasFields ? nil : .list([]),
                    // Apple's page has it here, in both spellings.
                    "numbersAsStrings": .bool(true), "numberAsStrings": .bool(true),
                ])
            ]),
            "numbersAsStrings": .bool(true),
        ])
        guard let answer = try await exchange.send(call, body)["zones"]?.elements?.first else {
            throw WebExchange.unreadable(call)
        }
        if let error = WebError(answer) {
            // The token is of another zone, or too old.
            if error.code == "BAD_REQUEST", position != nil { throw CloudKitFailure.positionExpired }
            throw error.failure(isWrite: false)
        }
        guard let records = answer["records"]?.elements, let token = answer["syncToken"]?.text else {
            throw WebExchange.unreadable(call)
        }
        var changes = ZoneChanges(
            saved: [], deleted: [], position: Data(token.utf8), isComplete: answer["moreComing"]?.bool != true)
        for json in records {
            if json["deleted"]?.bool == true {
                guard let name = json["recordName"]?.text else { throw WebExchange.unreadable(call) }
                changes.deleted.append((name, json["recordType"]?.text))
            } else {
                changes.saved.append(try record(json, call))
            }
        }
        return changes
    }

    func makeZone() async throws {
        guard let zoneID else { return }
        let call = "zones/modify"
        let operation = JSONValue.object([
            "operationType": "create".json, "zone": .object(["zoneID": zoneID]),
        ])
        let answer = try await exchange.send(call, .object(["operations": .list([operation])]))
        guard let zone = answer["zones"]?.elements?.first else { throw WebExchange.unreadable(call) }
        if let error = WebError(zone), error.code != "EXISTS" { throw error.failure(isWrite: false) }
    }

    func subscribe() async throws {
        throw CloudKitFailure.other(
            RecordDatabaseError(.unsupported, reason: "messages of CloudKit go to devices of Apple alone"))
    }

    func userName() async throws -> String {
        if let name = user.withLock({ $0 }) { return name }
        let call = "users/caller"
        let answer = try await exchange.send(call, nil)
        guard let name = answer["userRecordName"]?.text ?? answer["users"]?.elements?.first?["userRecordName"]?.text
        else { throw WebExchange.unreadable(call) }
        user.withLock { $0 = name }
        return name
    }
}

extension PortRecord {
    /// Reads a record; nil for a dictionary that is not one.
    init?(_ json: JSONValue) {
        guard let name = json["recordName"]?.text, let type = json["recordType"]?.text,
            let tag = json["recordChangeTag"]?.text
        else { return nil }
        var values: [String: CloudKitValue] = [:]
        if let fields = json["fields"]?.object {
            for (name, value) in zip(fields.keys, fields.values) {
                if case .null? = value["value"]?.content { continue }
                values[name] = CloudKitValue(value)
            }
        }
        func date(_ member: String) -> Date {
            let milliseconds = json[member]?["timestamp"]
            let number = milliseconds?.double ?? milliseconds?.text.flatMap { Double($0) }
            return number.map { Date(timeIntervalSince1970: $0 / 1_000) } ?? .distantPast
        }
        self.init(
            fields: CloudKitFields(recordType: type, recordName: name, values: values),
            system: SystemFields(
                changeTag: tag, creationDate: date("created"), modificationDate: date("modified")),
            base: tag)
    }
}
