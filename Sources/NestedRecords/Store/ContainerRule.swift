/// A rule about another record, the container of the one that it is for.
struct ContainerRule: Sendable {
    /// The field that refers to the container.
    let path: FieldPath

    /// The record type of the container.
    let type: String

    /// What holds for the container.
    let condition: RecordFilter

    /// The rule as a filter that follows the reference.
    let filter: RecordFilter

    /// Reads a filter; nil if it is not one condition on the record to which a field refers.
    init?(_ filter: RecordFilter) {
        guard case .refers(let path, let type)? = filter.terms.last else { return nil }
        let condition = RecordFilter(terms: filter.terms.dropLast())
        guard condition.hasCondition, condition.referredTypes.isEmpty else { return nil }
        (self.path, self.type, self.condition, self.filter) = (path, type, condition, filter)
    }

    /// The containers of a record, also of one with a list of them.
    func ids(in record: Record) -> [Record.ID] {
        let values: [Record.Value]
        switch path.value(in: record) {
        case .list(let elements)?: values = elements
        case let value?: values = [value]
        case nil: values = []
        }
        return values.compactMap { value in
            guard case .reference(let reference) = value, reference.id.type == type else { return nil }
            return reference.id
        }
    }

    /// Whether the condition holds for one of the containers.
    func holds(for record: Record, _ containers: [Record.ID: Record]) throws -> Bool {
        try ids(in: record).contains { id in try containers[id].map(condition.matches) ?? false }
    }
}
