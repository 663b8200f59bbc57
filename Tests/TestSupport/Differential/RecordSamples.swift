import Foundation
import NestedRecords

// Types that are records themselves, or hold some. Their contents follow from their IDs: equal IDs are equal records.

struct Item: RecordCodable, Identifiable, Hashable {
    var id: Int
    var title: String
    var date: Date?

    init(_ generator: inout SplitMix64) { self.init(id: Int.random(in: 0...99, using: &generator)) }
    init(id: Int) {
        self.id = id
        title = "title \(id)"
        date = id.isMultiple(of: 2) ? nil : Date(timeIntervalSinceReferenceDate: Double(id))
    }
}

struct RecordWithChildren: RecordCodable, Identifiable, Equatable {
    var id: Int
    var items: [Item]
    var first: Item?
    var byName: [String: Item]

    init(_ generator: inout SplitMix64) {
        id = Int.random(in: 0...99, using: &generator)
        items = [Item(id: id), Item(id: 100 - id), Item(id: id)]
        first = id.isMultiple(of: 3) ? nil : Item(id: id)
        byName = ["a.b": Item(id: 5), "": Item(id: id)]
    }
}

/// A record with embedded values.
struct Parcel: RecordCodable, Identifiable, Equatable {
    struct Size: Codable, Equatable {
        var width: Int
        var label: Texts?
    }

    var id: Int
    var outerSize: Size
    var inner: Size?
    var texts: Texts

    init(_ generator: inout SplitMix64) {
        id = Int.random(in: 0...99, using: &generator)
        outerSize = Size(width: id, label: id.isMultiple(of: 2) ? nil : Texts(text: "label"))
        inner = id.isMultiple(of: 3) ? nil : Size(width: -id, label: nil)
        texts = Texts(text: "text \(id)")
    }
}

final class Owner: RecordCodable, Identifiable, Equatable {
    let id: Int
    let shelf: [Item]

    init(_ generator: inout SplitMix64) {
        id = Int.random(in: 0...99, using: &generator)
        shelf = [Item(id: id)]
    }
    static func == (left: Owner, right: Owner) -> Bool { left.id == right.id && left.shelf == right.shelf }
}

enum RecordOrText: Codable, Equatable {
    case item(Item)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let item = try? container.decode(Item.self) {
            self = .item(item)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .item(let item): try container.encode(item)
        case .text(let text): try container.encode(text)
        }
    }
}

/// Reads a record as any value.
struct ItemMap: Codable, Equatable {
    var item: Item
    enum CodingKeys: CodingKey { case item }

    init(item: Item) { self.item = item }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let map = try container.decode([String: Skipped].self, forKey: .item)
        item = try container.decode(Item.self, forKey: .item)
        guard map.keys.contains("title") else { throw SampleError() }
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(item, forKey: .item)
    }
}

struct Linked: RecordCodable, Identifiable, Equatable {
    var id: Int
    var link: RecordLink<Item>?
    var links: [RecordLink<Item>]

    init(_ generator: inout SplitMix64) {
        id = Int.random(in: 0...99, using: &generator)
        links = [Item(id: id)].compactMap { try? RecordLink(to: $0) }
        link = id.isMultiple(of: 2) ? nil : links.first
    }
    static func == (left: Linked, right: Linked) -> Bool {
        left.id == right.id && left.link?.id == right.link?.id && left.links.map(\.id) == right.links.map(\.id)
    }
}

/// An enumeration that is a record.
enum Choice: RecordCodable, Equatable {
    case item(Item, name: TextCase?)
    case none
    var recordName: String {
        switch self {
        case .item(let item, _): "item \(item.id)"
        case .none: "none"
        }
    }
}

/// A class with shared instances.
final class Node: RecordCodable, Identifiable, Equatable {
    let id: String
    let left: Node?
    let right: Node?

    init(_ id: String, _ left: Node? = nil, _ right: Node? = nil) {
        (self.id, self.left, self.right) = (id, left, right)
    }
    static func == (one: Node, other: Node) -> Bool {
        one.id == other.id && one.left == other.left && one.right == other.right
    }
}
