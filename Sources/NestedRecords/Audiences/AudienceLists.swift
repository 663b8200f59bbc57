/// The lists of a database for the feeds of readers, as they are at one moment.
package protocol AudienceLists {
    /// The records of a value that were changed last after a number, in the order of the changes: up to the first one
    /// whose number is greater than that of the last one within the limit, which shows that there are more.
    func changes(of key: AudienceKey, since start: UInt64, limit: Int) throws -> [(id: Record.ID, number: UInt64)]

    /// The departures from a value after a number, limited as ``changes(of:since:limit:)``.
    func departures(
        from key: AudienceKey, since start: UInt64, limit: Int
    ) throws -> [AudienceIndex.Departure]

    /// The records that have a value now, with the number at which it was added, in no order.
    func records(of key: AudienceKey) throws -> [(id: Record.ID, added: UInt64)]

    /// The records of one type that have a value now, in an order that changes of records leave as it is.
    func records(of key: AudienceKey, after id: Record.ID?, limit: Int) throws -> [Record.ID]
}

extension AudienceLists {
    package func records(of key: AudienceKey, after id: Record.ID?, limit: Int) throws -> [Record.ID] {
        let found = try records(of: key).map(\.id)
        return Array(found.filter { found in id.map { $0 < found } ?? true }.sorted().prefix(limit))
    }
}

extension AudienceLists {
    /// The changes of what a reader may see.
    ///
    /// Invariants: a record is named only if the reader could see it at the end of the page, or before a departure of it
    /// in the range of the page. Departures are reported for their own numbers, whatever becomes of the record later.
    ///
    /// - Parameters:
    ///   - view: What the reader follows.
    ///   - place: Where to begin.
    ///   - last: The number of the last batch.
    ///   - limit: The number of changes after which a page ends, at least one. A page is larger if its last batch is.
    /// - Complexity: O(*n* + *k* log *m*) for *n* changes of the page, the reader's *k* containers and *m* changes of one.
    package func page(
        of view: AudienceView, since place: AudiencePlace, until last: UInt64, limit: Int
    ) throws -> AudiencePage {
        if let listing = place.listing {
            return try self.page(of: listing, until: place.number, view, last: last, limit: max(1, limit))
        }
        let (start, limit) = (place.number, max(1, limit))
        let memberships = view.memberships
        var items: [AudienceItem] = []
        func add(changesOf key: AudienceKey) throws {
            items += try changes(of: key, since: start, limit: limit).map {
                AudienceItem(number: $0.number, id: $0.id, .saved)
            }
        }
        func add(departuresFrom key: AudienceKey) throws {
            items += try departures(from: key, since: start, limit: limit).map { departure in
                AudienceItem(number: departure.number, id: departure.id, .departed(isDeletion: departure.isDeletion))
            }
        }
        for key in view.ownKeys {
            try add(changesOf: key)
            if memberships[key] == nil { try add(departuresFrom: key) }
        }
        for (key, types) in memberships {
            items += try departures(from: key, since: start, limit: limit).map { departure in
                AudienceItem(number: departure.number, id: departure.id, .left(isDeletion: departure.isDeletion))
            }
            for container in try records(of: key) {
                // A container that was joined in the range waits for its page.
                if container.added > start {
                    items.append(AudienceItem(number: container.added, id: container.id, .newContainer))
                } else {
                    for type in types {
                        let key = AudienceKey(type, .container, container.id.description)
                        try add(changesOf: key)
                        try add(departuresFrom: key)
                    }
                }
            }
        }
        items.sort { ($0.number, $0.id) < ($1.number, $1.id) }
        var end = last
        if items.count > limit {
            let lastNumber = items[limit - 1].number
            if let next = items[limit...].firstIndex(where: { $0.number != lastNumber }) {
                items.removeSubrange(next...)
                end = lastNumber
            }
        }
        var page = AudiencePage(place: AudiencePlace(number: end), isComplete: end == last)
        page.add(items)
        if items.contains(where: { $0.kind == .newContainer }) {
            page.place.listing = AudiencePlace.Listing(start: start)
            page.isComplete = false
        }
        return page
    }

    /// The contents of the containers that are new, in the order of the containers' IDs.
    ///
    /// A container that was left is skipped: its departure follows. So is one that was joined again, whose page follows.
    private func page(
        of listing: AudiencePlace.Listing, until end: UInt64, _ view: AudienceView, last: UInt64, limit: Int
    ) throws -> AudiencePage {
        var page = AudiencePage(place: AudiencePlace(number: end), isComplete: end == last)
        for container in try newContainers(of: listing, until: end, view) {
            let after = container.id == listing.container ? listing.record : nil
            let rest = limit - page.saved.count
            var contents: [Record.ID] = []
            for type in container.types where contents.count <= rest {
                if let after, type.utf8.lexicographicallyPrecedes(after.type.utf8) { continue }
                contents += try records(
                    of: AudienceKey(type, .container, container.id.description),
                    after: after?.type == type ? after : nil, limit: rest + 1 - contents.count)
            }
            page.saved += contents.prefix(rest)
            if contents.count > rest {
                page.isComplete = false
                page.place.listing = AudiencePlace.Listing(
                    start: listing.start, container: container.id, record: page.saved.last)
                if rest == 0 { page.place.listing?.record = after }
                return page
            }
        }
        return page
    }
}

extension AudienceLists {
    /// The containers whose contents are listed, from the one on that is listed, with the types of their contents.
    package func newContainers(
        of listing: AudiencePlace.Listing, until end: UInt64, _ view: AudienceView
    ) throws -> [(id: Record.ID, types: [String])] {
        var found: [(id: Record.ID, types: [String])] = []
        for (key, types) in view.memberships {
            for container in try records(of: key) where listing.start < container.added && container.added <= end {
                if let listed = listing.container, container.id < listed { continue }
                found.append((container.id, types.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }))
            }
        }
        return found.sorted { $0.id < $1.id }
    }
}

private struct AudienceItem {
    enum Kind: Equatable {
        case saved
        case departed(isDeletion: Bool)
        case left(isDeletion: Bool)
        case newContainer
    }

    let number: UInt64
    let id: Record.ID
    let kind: Kind

    init(number: UInt64, id: Record.ID, _ kind: Kind) { (self.number, self.id, self.kind) = (number, id, kind) }
}

extension AudiencePage {
    fileprivate mutating func add(_ items: [AudienceItem]) {
        var known: Set<Record.ID> = []
        for item in items where item.kind == .saved && known.insert(item.id).inserted { saved.append(item.id) }
        var (ids, deletions) = ([Record.ID](), [Record.ID: Bool]())
        for item in items {
            switch item.kind {
            case .saved, .newContainer: continue
            case .left(let isDeletion):
                left.append(item.id)
                // The container itself goes with its contents.
                if !isDeletion { continue }
                if deletions.updateValue(isDeletion, forKey: item.id) == nil { ids.append(item.id) }
            case .departed(let isDeletion):
                if deletions.updateValue(isDeletion, forKey: item.id) == nil { ids.append(item.id) }
            }
        }
        left = Array(Set(left)).sorted()
        for id in ids {
            let isDeletion = deletions[id] ?? false
            if known.contains(id) {
                replaced[id] = isDeletion
            } else if isDeletion {
                deleted.append(id)
            } else {
                departed.append(id)
            }
        }
    }
}
