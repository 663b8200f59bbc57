import Foundation
import NestedRecords

/// The objects to which the pointers of a document lead: `$ref` in its spellings, and `#/people/ada` under other keys.
///
/// A pointer begins at the root or, where that has not its keys, at the nearest object around it that has them. It may
/// also name an anchor or an identifier: `#person`, `Person`, `https://example.org/schema#/definitions/Person`.
struct Pointers {
    /// The object to which each string leads.
    private(set) var targets: [UInt32: UInt32] = [:]

    /// The objects with these as members: their keys are names.
    private(set) var containers: Set<UInt32> = []

    private let tree: JSONTree
    private var members: [UInt32: [UInt32: UInt32]] = [:]

    /// The object with some steps from an object; nil if there is none.
    private var found: [Start: UInt32?] = [:]

    /// The objects around pointers that are still searched: the time is proportional to the document.
    private var searches: Int

    /// Some steps, from some object.
    private struct Start: Hashable {
        let object: UInt32
        let prefix: Substring
    }

    /// An object with an identifier, and the one with it as a member; nil if others have the identifier, too.
    private var named: [String: (object: UInt32, container: UInt32)?] = [:]

    private static let referenceKeys = ["$ref", "$dynamicRef"]
    private static let identifierKeys = ["id", "$id"]
    private static let anchorKeys = ["$anchor", "$dynamicAnchor"]

    /// Keys of schemas whose members are parts of them.
    private static let parts: Set<String> = [
        "properties", "patternProperties", "items", "additionalProperties", "not", "anyOf", "oneOf", "allOf",
    ]

    init(in tree: JSONTree) {
        self.tree = tree
        searches = 1_000 + 4 * tree.nodes.count
        let keys = Set(Self.referenceKeys.compactMap(tree.key))
        func isPointer(_ node: Int) -> Bool {
            tree.kind(of: node) == .text
                && (keys.contains(tree.nodes[node].key)
                    || tree.bytes[Int(tree.nodes[node].offset) + 1] == UInt8(ascii: "#"))
        }
        guard (tree.root..<tree.nodes.count).contains(where: isPointer) else { return }
        find(isPointer, hasReferences: !keys.isEmpty)
    }

    private mutating func find(_ isPointer: (Int) -> Bool, hasReferences: Bool) {
        let identifiers = Set(Self.identifierKeys.compactMap(tree.key))
        let anchors = Set(Self.anchorKeys.compactMap(tree.key))
        var open: [Int] = []
        var others: [(node: Int, text: String)] = []
        for node in tree.root..<tree.nodes.count {
            while let last = open.last, tree.nodes[last].end <= node { open.removeLast() }
            let key = tree.nodes[node].key
            if hasReferences, tree.kind(of: node) == .text, let object = open.last {
                if identifiers.contains(key) || anchors.contains(key) {
                    let text = (anchors.contains(key) ? "#" : "") + tree.text(of: node)
                    name(object, text, in: open.dropLast().last)
                }
            }
            if isPointer(node) {
                let text = tree.text(of: node)
                if !text.utf8.starts(with: "#".utf8) || !lead(node, text[...], from: open) {
                    others.append((node, text))
                }
            } else if tree.nodes[node].end > node + 1, open.count < MarkedTree.deepest {
                open.append(node)
            }
        }
        for (node, text) in others {
            if text.hasBytes(of: "#") {
                if tree.kind(of: tree.root) == .object { targets[UInt32(node)] = UInt32(tree.root) }
            } else if let found = named[text] {
                if let found { lead(node, to: found.object, in: found.container) }
            } else if let end = text.utf8.firstIndex(of: UInt8(ascii: "#")) {
                let document = String(text[..<end])
                if let found = (named[document] ?? nil) ?? named[document + "#"] ?? nil {
                    _ = lead(node, text[end...], from: [Int(found.object)])
                }
            }
        }
    }

    private mutating func name(_ object: Int, _ text: String, in container: Int?) {
        let value = (object: UInt32(object), container: UInt32(container ?? object))
        let isOwnKey = tree.keyText(of: object) == text
        guard let other = named[text] else {
            named[text] = value
            return
        }
        // Among several objects the one in a map of such names is meant.
        let isOther = other.map { tree.keyText(of: Int($0.object)) == text } ?? false
        if isOwnKey != isOther { named[text] = isOwnKey ? value : other } else { named[text] = .some(nil) }
    }

    private mutating func lead(_ node: Int, to target: UInt32, in container: UInt32) {
        targets[UInt32(node)] = target
        let keys = [tree.keyText(of: Int(container)), tree.keyText(of: Int(target))]
        guard tree.kind(of: Int(container)) == .object, Self.parts.isDisjoint(with: keys) else { return }
        containers.insert(container)
    }

    /// Follows `#/definitions/Person`, also without its first slash.
    private mutating func lead(_ node: Int, _ text: Substring, from open: [Int]) -> Bool {
        var steps = text.dropFirst()
        if steps.utf8.first == UInt8(ascii: "/") { steps = steps.dropFirst() }
        guard let end = steps.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        let (prefix, name) = (steps[..<end], Self.key(steps[end...].dropFirst()))
        guard let key = tree.key(name) else { return false }
        func lead(from start: UInt32) -> Bool {
            guard let container = object(Start(object: start, prefix: prefix)), let target = member(key, of: container)
            else { return false }
            self.lead(node, to: target, in: container)
            return true
        }
        if let root = open.first, lead(from: UInt32(root)) { return true }
        for object in open.dropFirst().reversed() where searches > 0 {
            searches -= 1
            if lead(from: UInt32(object)) { return true }
        }
        return false
    }

    private mutating func object(_ start: Start) -> UInt32? {
        if let known = found[start] { return known }
        var object: UInt32? = start.object
        for step in start.prefix.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
            guard let outer = object else { break }
            object = tree.key(Self.key(Substring(step))).flatMap { member($0, of: outer) }
        }
        found[start] = .some(object)
        return object
    }

    private mutating func member(_ key: UInt32, of object: UInt32) -> UInt32? {
        if let known = members[object] { return known[key] }
        guard tree.kind(of: Int(object)) == .object else { return nil }
        let children = tree.children(of: Int(object)).map { (tree.nodes[$0].key, UInt32($0)) }
        members[object] = Dictionary(children) { first, _ in first }
        return members[object]?[key]
    }

    /// A key in a pointer, which may be in the encoding of URIs.
    private static func key(_ step: Substring) -> String {
        guard step.utf8.contains(where: { "~%".utf8.contains($0) }) else { return String(step) }
        return PathStep.unescaped(String(step).removingPercentEncoding ?? String(step))
    }
}

extension Survey {
    /// Whether pointers lead to members of some objects, which all have objects alone; a schema may be true or false.
    func arePointed(_ objects: [UInt32]) -> Bool {
        guard let containers = pointers?.containers, !containers.isEmpty else { return false }
        return objects.contains(where: containers.contains)
            && objects.allSatisfy { object in
                tree.kind(of: Int(object)) == .object && object != tree.root
                    && tree.children(of: Int(object)).allSatisfy { [.object, .bool].contains(tree.kind(of: $0)) }
            }
    }
}
