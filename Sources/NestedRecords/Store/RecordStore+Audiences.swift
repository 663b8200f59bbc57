extension RecordStore {
    /// Declares that a property names the readers of the values of a type, so that each reader has a feed of their own.
    ///
    /// ```swift
    /// try await store.declare(Project.self, readers: { $0.members })
    /// try await store.declare(Note.self, readers: { $0.readers }, everybody: { $0.isPublic })
    /// ```
    ///
    /// The same as ``RecordDatabase/declare(_:)``, with the fields of the properties.
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - readers: The property: a string or a list of strings.
    ///   - everybody: A Boolean property that is true in values for everybody; nil for none.
    ///   - isolation: The caller's isolation; the closures are called there.
    /// - Throws: ``RecordError`` with the code `unknownField` if the field of a property cannot be determined, has a default
    ///   value or former names, or is not one of the value itself; and the errors of ``RecordDatabase/declare(_:)``.
    /// - Complexity: O(*n*) for *n* records of the type.
    public func declare<Model: RecordDecodable, Readers>(
        _ type: Model.Type, readers: (QueryField<Model, Model>) -> QueryField<Model, Readers>,
        everybody: ((QueryField<Model, Model>) -> QueryField<Model, Bool>)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let field = try ownField(of: Model.self, readers(QueryField([])).steps)
        let constant = try everybody.map { try ownField(of: Model.self, $0(QueryField([])).steps) }
        try await calls.declare(RecordAudience(Model.recordType, readers: field, everybody: constant))
    }

    /// Declares that the values of a type are for the readers of the value to which a property refers, their container.
    ///
    /// ```swift
    /// try await store.declare(Visit.self, container: { $0.project })
    /// ```
    ///
    /// - Parameters:
    ///   - type: The Swift type.
    ///   - container: The property: a link, or a value with a record of its own. Declare the readers of its type as well.
    ///   - isolation: The caller's isolation; the closure is called there.
    /// - Throws: As ``declare(_:readers:everybody:isolation:)``; also `unknownField` if the property does not refer to records of
    ///   exactly one type.
    /// - Complexity: O(*n*) for *n* records of the type.
    public func declare<Model: RecordDecodable, Container>(
        _ type: Model.Type, container: (QueryField<Model, Model>) -> QueryField<Model, Container>,
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        // The name of the container leads across the reference.
        let steps = container(QueryField([])).steps + [.field(.recordName, as: String.self)]
        let path = try PropertyPath(steps, of: Model.self, coding)
        guard path.references.count == 1, let crossing = path.references.first, crossing.field.hasOneForm,
            crossing.recordTypes.count == 1
        else { throw notOwn(Model.self, "does not refer to a container of one type") }
        try await calls.declare(
            RecordAudience(Model.recordType, container: crossing.field.path, ofType: crossing.recordTypes[0]))
    }

    private func ownField(of model: any RecordDecodable.Type, _ steps: [PropertyStep]) throws -> FieldPath {
        let path = try PropertyPath(steps, of: model, coding)
        guard path.references.isEmpty, path.field.hasOneForm else {
            throw notOwn(model, "belongs to another record, or has a default value or former names")
        }
        return path.field.path
    }

    private func notOwn(_ model: any RecordDecodable.Type, _ reason: String) -> RecordError {
        RecordError(.unknownField, reason: "the audience of \(model): the property \(reason)")
    }
}
