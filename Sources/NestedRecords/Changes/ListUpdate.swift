/// The change of a list, applied to the stored list from which it was read.
///
/// The elements that were read are found among the stored ones, and the new elements among those that were read. An
/// element that the read left out stays after the element that it followed.
struct ListUpdate {
    private let stored: [Record.Value]
    private let read: [Record.Value]
    private let new: [Record.Value]
    private let path: [PathKey]

    /// The position of each element that was read in the stored list.
    private let positions: [Int]

    /// Elements that were read and may be another stored element.
    private let uncertain: Set<Int>

    /// The element that was read with the content of each new element; nil for another content.
    private var sources: [Int?]

    /// For new elements with another content, the element that was read at their place.
    private var replaced: [Int?]

    /// Whether elements have been moved.
    private var hasMoves = false

    /// The elements that were read and are neither found again nor replaced in their place by a like element.
    private var removed: Set<Int> = []

    /// The limit of comparisons to find out which element is another form of which.
    private static let mostComparisons = 1_000_000

    static func apply(
        to stored: [Record.Value], from read: [Record.Value], to new: [Record.Value], at path: [PathKey],
        _ moves: inout MovedValues
    ) throws(IncompleteRead) -> [Record.Value] {
        let isComplete =
            stored.count <= read.count
            && !zip(stored, read).contains { $0.holdsMore(than: $1, countsNull: true) }
        if isComplete { return try moves.elements(new, insteadOf: read, at: path) }
        guard let first = positions(of: read, in: stored) else {
            throw IncompleteRead(path: path, reason: "its elements are not found among the stored ones")
        }
        var update = ListUpdate(stored, read, new, path, first)
        update.findSources()
        update.findReplaced()
        try update.check()
        return try update.result(&moves)
    }

    private init(
        _ stored: [Record.Value], _ read: [Record.Value], _ new: [Record.Value], _ path: [PathKey],
        _ found: (positions: [Int], last: [Int])
    ) {
        (self.stored, self.read, self.new, self.path) = (stored, read, new, path)
        positions = found.positions
        uncertain = Set(read.indices.filter { found.positions[$0] != found.last[$0] })
        sources = Array(repeating: nil, count: new.count)
        replaced = sources
    }
}

// MARK: The elements that were read among the stored ones

extension ListUpdate {
    /// The first and the last possible positions of the elements that were read; nil if there are none.
    private static func positions(
        of read: [Record.Value], in stored: [Record.Value]
    ) -> (positions: [Int], last: [Int])? {
        if let first = orderedPositions(of: read, in: stored),
            let last = orderedPositions(of: read.reversed(), in: stored.reversed())
        {
            return (first, last.reversed().map { stored.count - 1 - $0 })
        }
        // A set is read in another order.
        if let positions = equalPositions(of: read, in: stored) { return (positions, positions) }
        let isConverted =
            stored.count == read.count && zip(stored, read).allSatisfy { $0.mayBeRead(as: $1, isConverted: true) }
        return isConverted ? (Array(read.indices), Array(read.indices)) : nil
    }

    private static func orderedPositions(of read: [Record.Value], in stored: [Record.Value]) -> [Int]? {
        var positions: [Int] = []
        var next = 0
        for element in read {
            while next < stored.count, !stored[next].mayBeRead(as: element, isConverted: false) { next += 1 }
            if next == stored.count { return nil }
            positions.append(next)
            next += 1
        }
        return positions
    }

    private static func equalPositions(of read: [Record.Value], in stored: [Record.Value]) -> [Int]? {
        var places = Places(of: stored.indices, in: stored)
        var positions: [Int] = []
        for element in read {
            guard let position = places.take(element) else { return nil }
            positions.append(position)
        }
        return positions
    }
}

/// The positions of values, to find equal ones.
private struct Places {
    private let values: [Record.Value]
    private var positions: [Record.Value: [Int]] = [:]

    init(of indices: some BidirectionalCollection<Int>, in values: [Record.Value]) {
        self.values = values
        for index in indices.reversed() { positions[values[index], default: []].append(index) }
    }

    /// The first position of a value that was not taken yet.
    mutating func take(_ value: Record.Value) -> Int? {
        guard let last = positions[value]?.last, values[last].isIdentical(to: value) else { return nil }
        return positions[value]?.popLast()
    }
}

// MARK: The new elements among those that were read

extension ListUpdate {
    private mutating func findSources() {
        var start = 0
        while start < min(read.count, new.count), read[start].isIdentical(to: new[start]) {
            sources[start] = start
            start += 1
        }
        var end = 0
        while end < min(read.count, new.count) - start,
            read[read.count - 1 - end].isIdentical(to: new[new.count - 1 - end])
        {
            sources[new.count - 1 - end] = read.count - 1 - end
            end += 1
        }
        let middle = start..<(read.count - end)
        for position in middle where position < new.count - end && read[position].isIdentical(to: new[position]) {
            sources[position] = position
        }
        var places = Places(of: middle.filter { $0 >= new.count || sources[$0] != $0 }, in: read)
        for position in start..<(new.count - end) where sources[position] == nil {
            sources[position] = places.take(new[position])
        }
        let found = sources.compactMap { $0 }
        hasMoves = zip(found, found.dropFirst()).contains { $0 > $1 }
        removed = Set(read.indices).subtracting(found)
    }

    /// Between elements that are found again, as many new elements as were read are in the place of these.
    private mutating func findReplaced() {
        if hasMoves { return }
        var (nextRead, nextNew) = (0, 0)
        let found = sources.enumerated().compactMap { position, source in source.map { ($0, position) } }
        for (source, position) in found + [(read.count, new.count)] {
            for (former, place) in zip(nextRead..<source, nextNew..<position) { replaced[place] = former }
            if source - nextRead == position - nextNew {
                for (former, place) in zip(nextRead..<source, nextNew..<position)
                where read[former].likeness(to: new[place]) > 0 {
                    removed.remove(former)
                }
            }
            (nextRead, nextNew) = (source + 1, position + 1)
        }
    }

    /// Whether a new element is another form of the one that was read at its place.
    private func isForm(_ place: Int) -> Bool { replaced[place].map { !removed.contains($0) } ?? false }
}

// MARK: What is certain

extension ListUpdate {
    private func check() throws(IncompleteRead) {
        let unfound = new.indices.filter { sources[$0] == nil }
        let found = Set(sources.compactMap { $0 })
        let lost = read.indices.filter { !found.contains($0) }
        let read = Set(positions)
        let omitted = Set(stored.indices.lazy.filter { !read.contains($0) }.map { stored[$0] })
        for element in hasMoves ? Array(self.read.indices) : lost where uncertain.contains(element) {
            throw fault(element, "it may be one of several stored elements")
        }
        for element in lost
        where omitted.contains(stored[positions[element]]) || omitted.contains(self.read[element]) {
            throw fault(element, "an equal element was not read")
        }
        let incomplete = lost.filter { stored[positions[$0]].holdsMore(than: self.read[$0]) }
        if incomplete.isEmpty { return }
        let equals = Dictionary(
            found.map { (self.read[$0], stored[positions[$0]]) }, uniquingKeysWith: { first, _ in first })
        for element in incomplete {
            if let other = equals[self.read[element]], !other.isIdentical(to: stored[positions[element]]) {
                throw fault(element, "an equal element has other content that was not read")
            }
        }
        // An element that was read as null was left out as a whole.
        let parts = incomplete.filter { self.read[$0] != .null }
        guard parts.count * unfound.count <= Self.mostComparisons else {
            throw IncompleteRead(path: path, reason: "too many elements have changed")
        }
        let places = Dictionary(
            unfound.compactMap { place in replaced[place].map { ($0, place) } }, uniquingKeysWith: { first, _ in first }
        )
        for element in parts {
            let likeness = unfound.map { self.read[element].likeness(to: new[$0]) }.max() ?? 0
            if let place = places[element] {
                // In its place, and there is none that is more like it.
                if likeness > 0, isForm(place), self.read[element].likeness(to: new[place]) == likeness { continue }
                throw fault(element, "it may be another form of a new element, or have been removed")
            }
            if likeness > 0 { throw fault(element, "it may have been changed and moved, or removed") }
        }
    }

    private func fault(_ element: Int, _ reason: String) -> IncompleteRead {
        IncompleteRead(path: path + [PathKey(index: element)], reason: reason)
    }
}

// MARK: The result

extension ListUpdate {
    private func result(_ moves: inout MovedValues) throws(IncompleteRead) -> [Record.Value] {
        let remaining = Set(sources.compactMap { $0 } + replaced.indices.filter(isForm).compactMap { replaced[$0] })
        for element in read.indices where !remaining.contains(element) {
            moves.noteRemoved(stored[positions[element]], readAs: read[element])
        }
        let omitted = omittedElements()
        var result = omitted[nil] ?? []
        for (place, value) in new.enumerated() {
            if let source = sources[place] {
                let kept = stored[positions[source]]
                let isKept = value == .null || kept.isCollection && kept.kind == value.kind
                result.append(isKept ? kept : value)
            } else if let former = replaced[place], isForm(place) {
                result.append(
                    try stored[positions[former]].applying(
                        from: read[former], to: value, at: path + [PathKey(index: place)], &moves))
            } else {
                result.append(try moves.adding(value, at: path + [PathKey(index: place)]))
            }
            if let former = sources[place] ?? replaced[place] { result += omitted[former] ?? [] }
        }
        return result
    }

    /// The elements that the read left out, by the element that they follow.
    ///
    /// A reference that is part of the new list again is no longer left out.
    private func omittedElements() -> [Int?: [Record.Value]] {
        let remaining = Set(sources.compactMap { $0 } + replaced.compactMap { $0 })
        let elements = Dictionary(zip(positions, read.indices), uniquingKeysWith: { first, _ in first })
        let added = Set(new.indices.lazy.filter { sources[$0] == nil }.compactMap { new[$0].referenceID })
        var omitted: [Int?: [Record.Value]] = [:]
        var last: Int?
        for (position, value) in stored.enumerated() {
            if let element = elements[position] {
                if remaining.contains(element) { last = element }
            } else if !(value.referenceID.map(added.contains) ?? false) {
                omitted[last, default: []].append(value)
            }
        }
        return omitted
    }
}

extension Record.Value {
    fileprivate var referenceID: Record.ID? {
        if case .reference(let reference) = self { reference.id } else { nil }
    }
}
