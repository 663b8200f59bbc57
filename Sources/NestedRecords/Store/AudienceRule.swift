/// A rule for reading as the audience that it needs: a property that names the reader, a constant, or an alternative of
/// these; or a container whose property names the reader.
struct AudienceRule {
    private(set) var sources: Set<AudienceView.Source> = []

    /// The field with the reader, or with the reference to the container.
    private var field: FieldPath?

    private var everybody: FieldPath?

    /// The audience of the container.
    private var container: AudienceNeed?

    /// Reads a filter; nil for one with other conditions, or with two different ones.
    init?(_ filter: RecordFilter, _ reader: String) {
        var operands: [AudienceRule?] = []
        func pop(_ count: Int) -> ArraySlice<AudienceRule?> {
            defer { operands.removeLast(min(count, operands.count)) }
            return operands.suffix(count)
        }
        for term in filter.terms {
            switch term {
            case .all(1): continue
            case .any(let count):
                let alternatives = pop(count)
                operands.append(alternatives.dropFirst().reduce(alternatives.first ?? nil) { $0?.or($1) })
            case .refers(let path, let type):
                let target = pop(1).first ?? nil
                operands.append(target.flatMap { AudienceRule(path, to: type, $0) })
            case .all(let count):
                _ = pop(count)
                operands.append(nil)
            case .not, .hasElement:
                _ = pop(1)
                operands.append(nil)
            default: operands.append(AudienceRule(term, reader))
            }
        }
        guard operands.count == 1, let rule = operands[0] else { return nil }
        self = rule
    }

    private init?(_ term: RecordFilter.Term, _ reader: String) {
        func isReader(_ value: Record.Value) -> Bool {
            if case .string(let name) = value { name.utf8.elementsEqual(reader.utf8) } else { false }
        }
        switch term {
        case .compare(let path, .equal, let value) where isReader(value):
            (field, sources) = (path, [.reader(isListed: false)])
        case .contains(let path, let value) where isReader(value): (field, sources) = (path, [.reader(isListed: true)])
        case .compare(let path, .equal, .bool(true)): (everybody, sources) = (path, [.everybody])
        default: return nil
        }
    }

    private init?(_ path: FieldPath, to type: String, _ target: AudienceRule) {
        guard target.sources.count == 1, case .reader(let isListed)? = target.sources.first, let readers = target.field
        else { return nil }
        (field, container) = (path, AudienceNeed(recordType: type, field: readers))
        sources = [.container(ofType: type, isListed: isListed)]
    }

    /// The alternative of both; nil if it is not an audience and its constant.
    private func or(_ other: AudienceRule?) -> AudienceRule? {
        guard let other, container == nil, other.container == nil,
            field == nil || other.field == nil || field == other.field,
            everybody == nil || other.everybody == nil || everybody == other.everybody
        else { return nil }
        var rule = self
        rule.sources.formUnion(other.sources)
        (rule.field, rule.everybody) = (field ?? other.field, everybody ?? other.everybody)
        return rule
    }

    /// The declarations without which the changes of a type are unknown.
    func needs(ofType type: String) -> [AudienceNeed] {
        let need = AudienceNeed(
            recordType: type, field: field, containerType: container?.recordType, everybody: everybody)
        return container.map { [need, $0] } ?? [need]
    }
}
