/// Finds the items of the records of a page, in a scan of all records.
///
/// It holds as many items as the page has records, however many records match.
struct PageFinder<Fields: FieldSource, Item> {
    private let query: RecordQuery
    let predicate: RecordPredicate
    private let order: [(path: QueryPath, isDescending: Bool, isCollated: Bool)]
    private let places: PlaceOrder
    private let limit: Int
    private let start: OrderPlace?
    var source: Fields

    /// The place of the current record; reused for its memory.
    private var writer = SortKeyWriter()
    private var texts: [OrderPlace.Text] = []

    private var found: [(place: OrderPlace, item: Item)] = []
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
        order = query.order.map { (fields.path($0.path), $0.isDescending, $0.collation != nil) }
        limit = query.limit ?? .max
        start = try query.checkedStart().map { OrderPlace($0.keys, $0.name, query.order) }
        places = PlaceOrder(query.order)
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
        let place = OrderPlace(bytes: writer.bytes, texts: texts)
        if let start, !places.isBefore(start, place) { return }
        matchCount += 1
        if found.count < limit {
            found.append((place, item()))
            // The array becomes a heap when it is full.
            if found.count == limit { for position in (0..<limit / 2).reversed() { sink(position) } }
        } else if let last = found.first, places.isBefore(place, last.place) {
            found[0] = (place, item())
            sink(0)
        }
    }

    mutating func pass(_ count: Int) { examinedCount += count }

    /// Computes the place of the current record.
    private mutating func findPlace() {
        writer.reset()
        if !texts.isEmpty { texts.removeAll() }
        for part in order {
            let start = writer.bytes.count
            if let value = part.path.value(in: &source) { writer.append(value) }
            if part.isCollated { texts.append(OrderPlace.Text(ofKey: writer.bytes[start...])) }
            writer.appendEnd()
            if part.isDescending { writer.invert(from: start) }
        }
        writer.appendName(of: &source)
    }

    var hasMore: Bool { matchCount > found.count }
    var foundCount: Int { found.count }

    var items: [Item] {
        if !places.isOfBytes { return found.sorted { places.isBefore($0.place, $1.place) }.map(\.item) }
        var order = BytesOrder<Int>(capacity: found.count)
        for (position, element) in found.enumerated() { order.append(position, element.place.bytes) }
        return order.take { found[$0].place.bytes.isBefore(found[$1].place.bytes) }.map { found[$0].item }
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
            where child < found.count && places.isBefore(found[last].place, found[child].place) {
                last = child
            }
            if last == position { return }
            found.swapAt(position, last)
            position = last
        }
    }
}

extension PageFinder: Sendable where Fields: Sendable, Item: Sendable {}
