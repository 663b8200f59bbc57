/// A cycle of records that own each other: deleting one deletes all, and CloudKit refuses to save them.
public struct OwningCycle: Sendable, Hashable {
    /// The records of the cycle, each with the path to the next; the first and the last are the same.
    public let steps: [RecordContext.Step]
}

extension OwningCycle: CustomStringConvertible {
    /// The cycle in one line, `A/1 .next → B/1 .owner → A/1`; of a long cycle the beginning and the end.
    public var description: String { steps.chainText }
}

extension OwningReferences {
    /// One cycle per group of records that own each other, in the order of their first records.
    ///
    /// - Parameter isIncluded: Whether to include the record with this number.
    /// - Complexity: O(*n*) for *n* records and references.
    func cycles(where isIncluded: (Int) -> Bool = { _ in true }) -> [OwningCycle] {
        var included = EdgeList()
        var numbers: [Int] = []
        for edge in 0..<edges.count where isIncluded(edges.sources[edge]) && isIncluded(edges.targets[edge]) {
            included.append(from: edges.sources[edge], to: edges.targets[edge])
            numbers.append(edge)
        }
        let rings = StronglyConnectedComponents(included, nodeCount: records.count).cycles(of: included)
        return rings.map { ring in
            let steps = ring.map { step(of: numbers[$0]) }
            return OwningCycle(steps: steps + steps.prefix(1).map { RecordContext.Step(record: $0.record, path: "") })
        }
    }
}
