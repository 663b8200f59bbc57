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
    package var ownKeys: [AudienceKey] {
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
    package var memberships: [AudienceKey: [String]] {
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
