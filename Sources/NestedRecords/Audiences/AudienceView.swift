/// What a reader follows: the types, and why the reader sees their records.
package struct AudienceView: Sendable, Hashable {
    /// A reason for which the reader sees the records of a type.
    package enum Source: Sendable, Hashable {
        /// They name the reader, in a list or as the only one.
        case reader(isListed: Bool)

        /// They are for everybody.
        case everybody

        /// They refer to a container of this type that names the reader.
        case container(ofType: String, isListed: Bool)

        /// They are of the type.
        case type
    }

    package let reader: String

    /// The sources of each type: one of them is enough.
    package let sources: [String: Set<Source>]

    /// The declarations without which the changes are unknown, in the order of their types.
    package let needs: [AudienceNeed]

    package init(reader: String, sources: [String: Set<Source>], needs: [AudienceNeed]) {
        (self.reader, self.sources, self.needs) = (reader, sources, needs)
    }

    /// The types of which the reader sees all records.
    package var wholeTypes: [String] { sources.filter { $0.value.contains(.type) }.keys.sorted() }

    /// What distinguishes it from the other views of the reader.
    package var rulesText: String {
        let types = sources.sorted { $0.key < $1.key }.map { type, sources in
            "\(type): \(sources.map { "\($0)" }.sorted())"
        }
        return "\(types) \(needs.map(\.declaration))"
    }

    /// The values of the records that do not depend on containers.
    var ownKeys: [AudienceKey] {
        sources.flatMap { type, sources in
            sources.compactMap { source in
                switch source {
                case .reader(let isListed): AudienceKey(type, isListed ? .listedReader : .reader, reader)
                case .everybody: AudienceKey(type, .everybody)
                case .type: AudienceKey(type, .type)
                case .container: nil
                }
            }
        }
    }

    /// The values of the containers that name the reader, each with the types of their contents.
    var memberships: [AudienceKey: [String]] {
        var memberships: [AudienceKey: [String]] = [:]
        for (type, sources) in sources {
            for case .container(let container, let isListed) in sources {
                memberships[AudienceKey(container, isListed ? .listedReader : .reader, reader), default: []].append(
                    type)
            }
        }
        return memberships
    }
}

/// What a rule needs of the audience of a type.
package struct AudienceNeed: Sendable, Hashable {
    package let recordType: String

    /// The field with the readers or the container; nil if the rule names only the constant.
    package let field: FieldPath?

    /// The type of the containers; nil for readers.
    package let containerType: String?

    /// The constant, if the rule names it.
    package let everybody: FieldPath?

    package init(
        recordType: String, field: FieldPath?, containerType: String? = nil, everybody: FieldPath? = nil
    ) {
        (self.recordType, self.field) = (recordType, field)
        (self.containerType, self.everybody) = (containerType, everybody)
    }

    func isMet(by audience: RecordAudience) -> Bool {
        recordType == audience.recordType && (everybody == nil || everybody == audience.everybody)
            && (field == nil || field == audience.field && containerType == audience.containerType)
    }

    /// The declaration that is missing, as Swift code.
    package var declaration: String {
        if let field, let containerType {
            return "\(RecordAudience(recordType, container: field, ofType: containerType))"
        }
        return "\(RecordAudience(recordType, readers: field ?? "readers", everybody: everybody))"
    }
}

/// The position of a reader in the changes of what they may see.
package struct AudiencePlace: Sendable, Hashable {
    /// The contents of containers that are new to the reader are listed after their page.
    package struct Listing: Sendable, Hashable {
        /// The number before the page: the containers were added between this and the number of the place.
        package var start: UInt64

        /// The container that is listed; nil for the first one.
        package var container: Record.ID?

        /// The last record of the container that was listed.
        package var record: Record.ID?

        package init(start: UInt64, container: Record.ID? = nil, record: Record.ID? = nil) {
            (self.start, self.container, self.record) = (start, container, record)
        }
    }

    package var number: UInt64
    package var listing: Listing?

    package init(number: UInt64, listing: Listing? = nil) { (self.number, self.listing) = (number, listing) }
}

/// A page of the changes of what a reader may see.
///
/// What was left comes first, then the records that departed or were deleted, and the saved ones last.
package struct AudiencePage: Sendable {
    package var saved: [Record.ID] = []
    package var deleted: [Record.ID] = []
    package var departed: [Record.ID] = []

    /// The containers that the reader no longer sees, or not as the same members, with all that they contain.
    package var left: [Record.ID] = []

    /// The saved records that have departed before, and whether they were deleted: for a record that turns out to have
    /// changed again.
    package var replaced: [Record.ID: Bool] = [:]

    package var place: AudiencePlace
    package var isComplete: Bool
    package var isEmpty: Bool { saved.isEmpty && deleted.isEmpty && departed.isEmpty && left.isEmpty }
}

extension AudienceIndex {
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
    ) -> AudiencePage {
        if let listing = place.listing {
            return self.page(of: listing, until: place.number, view, last: last, limit: max(1, limit))
        }
        let (start, limit) = (place.number, max(1, limit))
        let memberships = view.memberships
        var items: [AudienceItem] = []
        func add(changesOf key: AudienceKey) {
            items += changes(of: key, since: start, limit: limit).map {
                AudienceItem(number: $0.number, id: $0.id, .saved)
            }
        }
        func add(departuresFrom key: AudienceKey) {
            items += departures(from: key, since: start, limit: limit).map { departure in
                AudienceItem(number: departure.number, id: departure.id, .departed(isDeletion: departure.isDeletion))
            }
        }
        for key in view.ownKeys {
            add(changesOf: key)
            if memberships[key] == nil { add(departuresFrom: key) }
        }
        for (key, types) in memberships {
            items += departures(from: key, since: start, limit: limit).map { departure in
                AudienceItem(number: departure.number, id: departure.id, .left(isDeletion: departure.isDeletion))
            }
            for container in records(of: key) {
                // A container that was joined in the range waits for its page.
                if container.added > start {
                    items.append(AudienceItem(number: container.added, id: container.id, .newContainer))
                } else {
                    for type in types {
                        let key = AudienceKey(type, .container, container.id.description)
                        add(changesOf: key)
                        add(departuresFrom: key)
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

    /// The contents of the containers that are new, in the order of the IDs.
    ///
    /// A container that was left is skipped: its departure follows. So is one that was joined again, whose page follows.
    private func page(
        of listing: AudiencePlace.Listing, until end: UInt64, _ view: AudienceView, last: UInt64, limit: Int
    ) -> AudiencePage {
        var page = AudiencePage(place: AudiencePlace(number: end), isComplete: end == last)
        let new = view.memberships.flatMap { key, types in
            records(of: key).filter { listing.start < $0.added && $0.added <= end }.map { (id: $0.id, types: types) }
        }.sorted { $0.id < $1.id }
        for container in new {
            if let listed = listing.container, container.id < listed { continue }
            let after = container.id == listing.container ? listing.record : nil
            let contents = container.types.flatMap { type in
                records(of: AudienceKey(type, .container, container.id.description)).map(\.id)
            }.filter { id in after.map { $0 < id } ?? true }.sorted()
            let rest = limit - page.saved.count
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
