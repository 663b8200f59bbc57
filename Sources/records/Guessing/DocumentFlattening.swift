import Foundation
import NestedRecords

/// Makes the records of a marked document, one by one.
struct DocumentFlattening {
    let marked: MarkedTree

    /// Whether strings that read back in another spelling are locations too.
    var canonicalizesLocations = false

    /// Fields whose names are shared by the records with the same keys.
    private var shapes: [[UInt32]: Record.Fields] = [:]
    private static let mostShapes = 4_096

    private var tree: JSONTree { marked.tree }

    init(_ marked: MarkedTree, canonicalizesLocations: Bool = false) {
        (self.marked, self.canonicalizesLocations) = (marked, canonicalizesLocations)
    }

    /// Calls a closure with each record, after the records that it encloses.
    mutating func forEach(_ body: (Record) throws -> Void) throws {
        var open: [Int] = []
        func end(_ node: Int) -> Int { Int(marked.tree.nodes[node].end) }
        for node in tree.root..<tree.nodes.count {
            while let last = open.last, end(last) <= node {
                open.removeLast()
                try body(try record(last))
            }
            if marked.isRecord(node), marked.stored(node) == node { open.append(node) }
        }
        while let last = open.popLast() { try body(try record(last)) }
    }

    private mutating func record(_ node: Int) throws -> Record {
        let id = try marked.id(of: node)
        guard tree.kind(of: node) == .object else {
            return try Record(id: id, fields: [DocumentRecord.valueField: try content(node)])
        }
        return try Record(id: id, fields: try fields(node))
    }

    /// The root, where records are the strings of their IDs.
    mutating func root() throws -> Record.Value { try value(tree.root).withNamesForReferences }

    private mutating func fields(_ node: Int) throws -> Record.Fields {
        var keys: [UInt32] = []
        var values: [Record.Value] = []
        for member in tree.children(of: node) {
            if marked.marks[member] == Mark.member.rawValue { continue }
            keys.append(tree.nodes[member].key)
            values.append(try value(member))
        }
        if let shape = shapes[keys] { return shape.replacingValues(by: values) }
        let fields = Record.Fields(zip(keys, values).map { (tree.keys[Int($0)], $1) })
        if shapes.count < Self.mostShapes { shapes[keys] = fields }
        return fields
    }

    private mutating func value(_ node: Int) throws -> Record.Value {
        let mark = marked.marks[node]
        switch mark {
        case Mark.plain.rawValue: return try content(node)
        case Mark.text.rawValue: return .null
        case Mark.date.rawValue: return Self.date(tree.text(of: node))
        case Mark.location.rawValue: return location(tree.text(of: node))
        case Mark.reference..., Mark.extended.rawValue: return try marked.formed(node) ?? .null
        case Mark.record...: return .reference(Record.Reference(to: try marked.id(of: node)))
        default: return .null
        }
    }

    // Recursion is bounded: deeper values are kept as texts.
    private mutating func content(_ node: Int) throws -> Record.Value {
        switch tree.kind(of: node) {
        case .null: return .null
        case .bool: return .bool(tree.bool(of: node))
        case .number: return tree.fieldNumber(of: node).value
        case .text: return .string(tree.text(of: node))
        case .object: return .map(try fields(node))
        case .list:
            var values: [Record.Value] = []
            for element in tree.children(of: node) { values.append(try value(element)) }
            return .list(values)
        }
    }

    /// A date, if it has this text; else the text.
    static func date(_ text: String) -> Record.Value {
        guard let date = Date(recordString: text), date.recordString?.utf8.elementsEqual(text.utf8) ?? false else {
            return .string(text)
        }
        return .date(date)
    }

    private func location(_ text: String) -> Record.Value {
        guard let location = try? Location(text),
            canonicalizesLocations || location.description.utf8.elementsEqual(text.utf8)
        else { return .string(text) }
        return .location(location)
    }
}

extension Record.Value {
    /// This value with strings in place of references.
    fileprivate var withNamesForReferences: Record.Value {
        mapLeaves { if case .reference(let reference) = $0 { .string(reference.id.description) } else { $0 } }
    }

    /// This value with references in place of strings.
    var withReferencesForNames: Record.Value {
        get throws {
            try mapLeaves {
                if case .string(let id) = $0 { .reference(Record.Reference(to: try Record.ID(id))) } else { $0 }
            }
        }
    }
}
