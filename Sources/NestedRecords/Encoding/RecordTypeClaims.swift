/// The Swift types that state no record type and were encoded for one database, by their record types.
final class RecordTypeClaims: Sendable {
    private let models = Lock<[String: any Any.Type]>([:])

    /// Notes that a type has a record type; returns the type that had it before, if that is another one.
    func claim(_ recordType: String, for model: any Any.Type) -> (any Any.Type)? {
        models.withLock { models in
            let known = models[recordType]
            if known == nil { models[recordType] = model }
            return known == model ? nil : known
        }
    }
}
