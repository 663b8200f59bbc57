/// What distinguishes a list of a live query from an earlier one: for animations, and for clients that keep the list.
///
/// To apply it, remove the elements at ``Place/index`` of ``deletions`` and ``Move/oldIndex`` of ``moves`` from the old
/// list, the last ones first. Then insert those of ``insertions`` and ``moves`` at their indices, the first ones first. At
/// last replace those of ``modifications``. Elements are identified by their records.
public struct ListDifference: Sendable, Hashable {
    /// An element of one of the lists.
    public struct Place: Sendable, Hashable {
        /// The ID of the element's record.
        public let recordID: Record.ID

        /// The index in the list: the old one for a deleted element, the new one for any other.
        public let index: Int
    }

    /// An element of both lists.
    public struct Move: Sendable, Hashable {
        /// The ID of the element's record.
        public let recordID: Record.ID

        /// The index in the old list.
        public let oldIndex: Int

        /// The index in the new list.
        public let index: Int
    }

    /// The elements that only the old list has, in its order.
    public let deletions: [Place]

    /// The elements that only the new list has, in its order.
    public let insertions: [Place]

    /// The elements that change their order among those of both lists, as few as possible, in the order of the new list.
    public let moves: [Move]

    /// The elements of both lists of which a record has another version, at any depth, in the order of the new list.
    ///
    /// They may be in ``moves`` too.
    public let modifications: [Place]

    /// Whether both lists are the same.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty && modifications.isEmpty }

    /// Compares two lists, which have each record once.
    package init<Element>(
        from old: [Element], to new: [Element], id: (Element) -> Record.ID, isSame: (Element, Element) -> Bool
    ) {
        let oldIndices = Dictionary(old.enumerated().map { (id($1), $0) }, uniquingKeysWith: { first, _ in first })
        var (insertions, modifications): ([Place], [Place]) = ([], [])
        var kept: [Move] = []
        for (index, element) in new.enumerated() {
            let place = Place(recordID: id(element), index: index)
            guard let oldIndex = oldIndices[place.recordID] else {
                insertions.append(place)
                continue
            }
            kept.append(Move(recordID: place.recordID, oldIndex: oldIndex, index: index))
            if !isSame(old[oldIndex], element) { modifications.append(place) }
        }
        let keptIDs = Set(kept.map(\.recordID))
        deletions = old.enumerated().map { Place(recordID: id($1), index: $0) }
            .filter { !keptIDs.contains($0.recordID) }
        let resting = Self.longestIncreasing(kept.map(\.oldIndex))
        moves = kept.enumerated().filter { !resting.contains($0.offset) }.map(\.element)
        (self.insertions, self.modifications) = (insertions, modifications)
    }

    package init<Value>(from old: [Stored<Value>], to new: [Stored<Value>]) {
        self.init(from: old, to: new, id: \.recordID) { $0.hasSameVersions(as: $1) }
    }

    /// The positions of a longest increasing subsequence.
    ///
    /// - Complexity: O(*n* log *n*).
    private static func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
        // The position of the smallest last number of the subsequences of each length, and the position before each.
        var (ends, before): ([Int], [Int?]) = ([], [])
        for (position, number) in numbers.enumerated() {
            var range = 0..<ends.count
            while !range.isEmpty {
                let middle = (range.lowerBound + range.upperBound) / 2
                range = numbers[ends[middle]] < number ? middle + 1..<range.upperBound : range.lowerBound..<middle
            }
            let length = range.lowerBound
            before.append(length > 0 ? ends[length - 1] : nil)
            if length == ends.count { ends.append(position) } else { ends[length] = position }
        }
        var (found, next): (Set<Int>, Int?) = ([], ends.last)
        while let position = next {
            found.insert(position)
            next = before[position]
        }
        return found
    }
}

extension Snapshot {
    /// What distinguishes the list from that of the last snapshot that this iteration has returned with a list.
    ///
    /// A slow reader skips lists: the difference is that of the lists which it has received. Nil for the first list of an
    /// iteration, also of one with a token: the reader takes the whole list.
    ///
    /// - Throws: The error of ``result``; the next difference is that from the last list.
    /// - Complexity: O(*n* log *n*) for *n* elements, and O(*m*) for *m* fields and list elements of their records.
    public func changes<Element>() throws -> ListDifference? where Value == [Stored<Element>] {
        let list = try value
        return previous.map { ListDifference(from: $0, to: list) }
    }
}
