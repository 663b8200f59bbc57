import NestedRecords

/// Where a value stands: in something, in a record.
struct DifferentialPlace: Sendable, Hashable {
    /// What the value stands in.
    enum Inner: String, Sendable, CaseIterable {
        case plain, optional, absent, list, listOfLists, dictionary, integerDictionary, embedded, payload
        case nestedContainers, underSuper, underSuperKey, wrapper, handedOn, erased, singleValue, superclass
        case reference, referenceInHandedOn
    }

    /// How the record holds it.
    enum Outer: String, Sendable, CaseIterable {
        case property, handedOn, singleValue, inherited, inheritedUnderSuper
    }

    let inner: Inner
    let outer: Outer

    static func random(_ generator: inout SplitMix64) -> DifferentialPlace {
        // Half of the values stand in a property.
        let outer: Outer = generator.chance(oneIn: 2) ? .property : generator.pick(Outer.allCases)
        return DifferentialPlace(inner: generator.pick(Inner.allCases), outer: outer)
    }
}

extension DifferentialPlace: CustomStringConvertible {
    var description: String { "\(inner) in \(outer)" }
}

/// What is done with a record that holds a value.
protocol DifferentialVisitor {
    mutating func visit<Model: RecordCodable & Equatable>(_ model: Model) async
}

extension DifferentialVisitor {
    /// Visits the record that holds a value in a place; some places hold another value too.
    mutating func visit<Value: Codable & Equatable>(
        _ value: Value, _ other: any Codable & Equatable, in place: DifferentialPlace, keys: [String]
    ) async {
        let other = other as? Value ?? value
        let outer = place.outer
        switch place.inner {
        case .plain: await visit(value, in: outer)
        case .optional: await visit(Optional(value), in: outer)
        case .absent: await visit(Value?.none, in: outer)
        case .list: await visit([value, other], in: outer)
        case .listOfLists: await visit([[value], [], [other, value]], in: outer)
        case .dictionary:
            await visit(
                Dictionary([(keys[0], value), (keys[1], other)], uniquingKeysWith: { first, _ in first }), in: outer)
        case .integerDictionary: await visit([-1: value, 7: other], in: outer)
        case .embedded: await visit(EmbeddedPlace(first: 1, held: value, last: "x"), in: outer)
        case .payload: await visit([PayloadPlace.one(value), .two(left: other, right: value), .none], in: outer)
        case .nestedContainers: await visit(NestedPlace(value), in: outer)
        case .underSuper: await visit(SuperPlace(value), in: outer)
        case .underSuperKey: await visit(SuperKeyPlace(value), in: outer)
        case .wrapper: await visit(WrapperPlace(held: value), in: outer)
        case .handedOn: await visit(HandedOnPlace(held: value), in: outer)
        case .erased: await visit(ErasedPlace(held: value), in: outer)
        case .singleValue: await visit(SingleValuePlace(held: value), in: outer)
        case .superclass: await visit(SubclassPlace(held: value, own: other), in: outer)
        case .reference: await visit([ChildRecord(1, value), ChildRecord(2, other)], in: outer)
        case .referenceInHandedOn: await visit(HandedOnPlace(held: ChildRecord(1, value)), in: outer)
        }
    }

    private mutating func visit<Value: Codable & Equatable>(
        _ value: Value, in outer: DifferentialPlace.Outer
    ) async {
        switch outer {
        case .property: await visit(PropertyRecord(value: value))
        case .handedOn: await visit(HandedOnRecord(value))
        case .singleValue: await visit(SingleValueRecord(value))
        case .inherited: await visit(SubclassRecord(value, 5))
        case .inheritedUnderSuper: await visit(SuperSubclassRecord(value, 5))
        }
    }
}
