/// What a value does with the containers of its encoder and of its decoder, made of bytes.
///
/// Each byte decides about one thing; where they end, zeros follow. So every array of bytes is a program.
package struct CallProgram: Sendable {
    package let bytes: [UInt8]
    let root: CallNode

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var parser = CallParser(bytes)
        root = parser.node(depth: 0, isRoot: true)
    }

    package var hasInnerRecords: Bool {
        func has(_ node: CallNode) -> Bool {
            node.number != 1 && node.isRecord || node.calls.contains { $0.content.node.map(has) ?? false }
        }
        return has(root)
    }

    /// The bytes as one word of hexadecimal digits.
    package var text: String { bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// The program of such a word.
    package init?(text: some StringProtocol) {
        let digits = text.compactMap { $0.hexDigitValue.map { UInt8($0) } }
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        self.init(bytes)
    }
}

/// A value that codes itself by a plan.
final class CallNode: Sendable {
    enum Shape: Int, Sendable { case keyed, unkeyed, single, handedOn, unusedSingle, nothing }
    enum Keys: Int, Sendable { case enumeration, open, numbers }

    let number: Int
    let isRecord: Bool
    let shape: Shape
    let keys: Keys
    let calls: [Call]

    /// After how many calls the encoding throws an error of its own.
    let failure: Int?

    /// The container that the decoder is asked for.
    let readShape: Shape
    let readKeys: Keys

    /// After how many calls the decoding throws an error of its own.
    let readFailure: Int?

    init(
        number: Int, isRecord: Bool, shape: Shape, keys: Keys, calls: [Call], failure: Int?, readShape: Shape,
        readKeys: Keys, readFailure: Int?
    ) {
        self.number = number
        self.isRecord = isRecord
        self.shape = shape
        self.keys = keys
        self.calls = calls
        self.failure = failure
        self.readShape = readShape
        self.readKeys = readKeys
        self.readFailure = readFailure
    }

    /// A value that is only written.
    convenience init(shape: Shape, calls: [Call]) {
        self.init(
            number: 0, isRecord: false, shape: shape, keys: .open, calls: calls, failure: nil, readShape: shape,
            readKeys: .open, readFailure: nil)
    }

    /// The number of the error that encoding it throws, nil if it throws none.
    var error: Int? {
        let catches = shape == .keyed || shape == .unkeyed || shape == .single
        for (position, call) in calls.enumerated() {
            if catches, failure == position { return number }
            if !(catches && call.isCaught), let error = call.content.error { return error }
        }
        return failure == nil ? nil : number
    }

    /// Whether it writes nothing at all, not even an empty object.
    var isNothing: Bool {
        switch shape {
        case .nothing: true
        case .handedOn, .unusedSingle: calls.allSatisfy { $0.content.node?.isNothing ?? false }
        case .single: calls.allSatisfy { $0.isCaught && $0.content.error != nil }
        case .keyed, .unkeyed: false
        }
    }

    /// Whether it is written as a record that is not itself.
    var isOtherRecord: Bool {
        guard shape == .single || shape == .handedOn || shape == .unusedSingle else { return false }
        guard let inner = calls.first?.content.node else { return false }
        return shape == .single && inner.isRecord || inner.isOtherRecord
    }

    /// Whether a value in it is read as nothing but itself.
    var hasOwnKinds: Bool {
        calls.contains { call in
            if case .leaf(let leaf) = call.content { return leaf.kind.isReadAsItselfAlone || leaf.kind.hasOtherForm }
            // At a key or in a list, a reference to a record that is a single value is read as that record alone.
            return call.content.node.map { $0.hasOwnKinds || $0.isRecord && $0.leaf != nil } ?? false
        }
    }

    /// Whether it is written as null.
    var isNull: Bool { shape != .keyed && shape != .unkeyed && calls.first?.content.isNull ?? false }

    /// The value that it is written as, if that is one of `CallLeaf`.
    var leaf: CallLeaf? {
        switch shape {
        case .single, .handedOn, .unusedSingle: calls.first?.content.leaf
        case .keyed, .unkeyed, .nothing: nil
        }
    }
}

/// What is done with one key or one element.
struct Call: Sendable {
    enum Content: Sendable {
        case leaf(CallLeaf)
        case null
        /// A value with a container of its own, given to `encode`.
        case value(CallNode)
        /// A nested container.
        case nested(CallNode)
        /// A value that writes itself to a super encoder.
        case superEncoder(CallNode)
        /// A value that writes its own keys to the same encoder.
        case merged(CallNode)

        var node: CallNode? {
            switch self {
            case .leaf, .null: nil
            case .value(let node), .nested(let node), .superEncoder(let node), .merged(let node): node
            }
        }

        var error: Int? { node?.error }

        /// Whether others can be written before it.
        ///
        /// JSON's encoder stores super encoders of a list in the order in which they are let go.
        func canWait(in shape: CallNode.Shape) -> Bool {
            switch self {
            case .nested(let node): node.error == nil
            case .superEncoder(let node): node.error == nil && shape == .keyed
            case .leaf, .null, .value, .merged: false
            }
        }

        /// Whether no other type is read where it was written.
        var isReadAsItselfAlone: Bool {
            guard let leaf else { return false }
            if leaf.kind.isReadAsItselfAlone { return true }
            return node.map { $0.isRecord || $0.isOtherRecord || leaf.kind.hasOtherForm } ?? false
        }

        var isNull: Bool {
            switch self {
            case .null, .leaf(.optional(nil)): true
            case .leaf: false
            case .value(let node), .nested(let node), .superEncoder(let node), .merged(let node):
                node.isNull
            }
        }

        var leaf: CallLeaf? {
            switch self {
            case .leaf(let leaf): leaf
            case .null, .nested, .merged: nil
            case .value(let node), .superEncoder(let node): node.leaf
            }
        }
    }

    enum Reading: Sendable {
        /// What was written, in one of the ways to read it.
        case same(way: Int)
        /// Something else.
        case other(CallLeaf.Kind, isOptional: Bool)
        case contains, isNull, allKeys
        /// A key that is not there, or the end of the list.
        case missing(way: Int)
    }

    /// Whether something stands where it was to be written.
    var isWritten: Bool {
        switch content {
        case .value(let node), .merged(let node): node.error == nil
        case .leaf, .null, .nested, .superEncoder: true
        }
    }

    /// The number of the key; nil is `super`.
    let key: Int?
    let content: Content

    /// Whether errors of the encoding are caught.
    let isCaught: Bool

    /// Whether the encoder is asked for its container again.
    let asksAgain: Bool

    /// Whether a container is opened in its turn, and written to after all other calls.
    let isLate: Bool
    let readings: [(reading: Reading, isCaught: Bool)]
}
