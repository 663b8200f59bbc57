/// The owning references of many records: those with the action ``Record/Reference/Action/deleteSelf``.
///
/// Records without such references are not stored.
struct OwningReferences {
    /// The records that hold such references or are their targets.
    private(set) var records: IDInterner

    /// From the record that holds a reference to its target.
    private(set) var edges = EdgeList()

    /// The path to each reference in its record.
    private(set) var paths: ContiguousArray<String> = []

    /// - Parameter ids: IDs that get the first numbers.
    init(numbering ids: some Sequence<Record.ID> = []) {
        records = IDInterner(ids)
    }

    /// The number of a record; a new record gets a new number.
    mutating func number(_ id: Record.ID) -> Int { records.insert(id) }

    mutating func collect(_ record: Record) {
        var walk = ReferenceWalk(record.fields)
        while let reference = walk.next() {
            guard reference.action == .deleteSelf else { continue }
            edges.append(from: records.insert(record.id), to: records.insert(reference.id))
            paths.append(walk.path.pathText)
        }
    }

    /// The record that holds a reference, with the path to it.
    func step(of edge: Int) -> RecordContext.Step {
        RecordContext.Step(record: records.ids[edges.sources[edge]], path: paths[edge])
    }
}
