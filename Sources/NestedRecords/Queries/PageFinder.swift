/// Finds the items of the records of a page, in a scan of all records.
///
/// It holds as many items as the page has records, however many records match.
struct PageFinder<Fields: FieldSource, Item> {
    private let query: RecordQuery
    let predicate: RecordPredicate
    private let order: [(path: QueryPath, isDescending: Bool)]
    private let limit: Int
    private let start: [UInt8]?
    var source: Fields

    /// The place of the current record; reused for its memory.
    private var place = SortKeyWriter()

    private var found: [(place: [UInt8], item: Item)] = []
    private var examinedCount = 0
    private var matchCount = 0

    init(
        _ query: RecordQuery, targets: [Int: Set<Record.ID>], isCovered: Bool = false,
        _ makeSource: (QueryFields) -> Fields
    ) throws {
        self.query = query
        var fields = QueryFields()
        predicate = try RecordPredicate(
            RecordFilterPart(isCovered ? nil : query.filter, targets: targets), fields: &fields)
        order = query.order.map { (fields.path($0.path), $0.isDescending) }
        limit = query.limit ?? .max
        start = try query.checkedStart().map { Self.place($0.keys, $0.name, query) }
        source = makeSource(fields)
    }

    mutating func examine(_ item: @autoclosure () -> Item) {
        examinedCount += 1
        guard predicate.holds(for: &source) else { return }
        if limit == 0, start == nil {
            matchCount += 1
            return
        }
        findPlace()
        if let start, !start.isBefore(place.bytes) { return }
        matchCount += 1
        if found.count < limit {
            found.append((place.bytes, item()))
            // The array becomes a heap when it is full.
            if found.count == limit { for position in (0..<limit / 2).reversed() { sink(position) } }
        } else if let last = found.first, place.bytes.isBefore(last.place) {
            found[0] = (place.bytes, item())
            sink(0)
        }
    }

    mutating func pass(_ count: Int) { examinedCount += count }

    /// Computes the place of the current record: bytes that sort in the order of the query.
    private mutating func findPlace() {
        place.reset()
        for part in order {
            let start = place.bytes.count
            if let value = part.path.value(in: &source) { place.append(value) }
            place.appendEnd()
            if part.isDescending { place.invert(from: start) }
        }
        place.appendName(of: &source)
    }

    private static func place(_ keys: [SortKey], _ name: String, _ query: RecordQuery) -> [UInt8] {
        var place: [UInt8] = []
        for (key, order) in zip(keys, query.order) {
            let bytes = key.bytes + [1, 1]
            place += order.isDescending ? bytes.map { ~$0 } : bytes
        }
        return place + name.utf8
    }

    var hasMore: Bool { matchCount > found.count }
    var foundCount: Int { found.count }

    var items: [Item] {
        var order = BytesOrder<Int>(capacity: found.count)
        for (position, element) in found.enumerated() { order.append(position, element.place) }
        return order.take { found[$0].place.isBefore(found[$1].place) }.map { found[$0].item }
    }

    func page(of records: [Record], examinedElsewhere: Int) -> RecordPage {
        RecordPage(
            of: query, found: records, matchCount: matchCount, examinedCount: examinedCount + examinedElsewhere)
    }

    private mutating func sink(_ position: Int) {
        var position = position
        while true {
            var last = position
            for child in 2 * position + 1...2 * position + 2
            where child < found.count && found[last].place.isBefore(found[child].place) {
                last = child
            }
            if last == position { return }
            found.swapAt(position, last)
            position = last
        }
    }
}

extension PageFinder: Sendable where Fields: Sendable, Item: Sendable {}
