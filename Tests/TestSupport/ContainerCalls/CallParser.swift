import Foundation

/// Makes a plan of bytes.
struct CallParser {
    private var bytes: ArraySlice<UInt8>
    private var nodeCount = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    private mutating func next() -> Int { bytes.popFirst().map(Int.init) ?? 0 }
    private mutating func chance(oneIn count: Int) -> Bool { next() % count == count - 1 }
    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next() % elements.count] }

    /// - Parameter canBeScalar: Whether it may be a record that is a single value. Only containers follow a reference, so
    ///   such a record is not read as another type.
    mutating func node(
        depth: Int, isRoot: Bool = false, isMerged: Bool = false, canBeScalar: Bool = true
    ) -> CallNode {
        nodeCount += 1
        let number = nodeCount
        let isRecord = chance(oneIn: 4)
        let shapes: [CallNode.Shape] = [
            .keyed, .unkeyed, .single, .handedOn, .keyed, .unkeyed, .keyed, .unusedSingle, .keyed, .nothing,
        ]
        let shape = isMerged ? .keyed : pick(shapes)
        let keys = pick([CallNode.Keys.enumeration, .open, .numbers])
        let isRegular = chance(oneIn: 3)
        let canHoldScalar = shape == .keyed || shape != .unkeyed && canBeScalar
        let calls = calls(
            of: shape, depth: depth, isRegular: isRegular, isMerged: isMerged, canBeScalar: canHoldScalar)
        let failure = chance(oneIn: 20) ? next() % (calls.count + 1) : nil
        let written = CallNode(shape: shape, calls: calls)
        // A record is not null, and not another record. Handed on, Foundation's own types have other forms in JSON.
        let canBeRecord = !written.isNull && !written.isOtherRecord && (written.leaf == nil || canBeScalar)
        let hasOneWay = written.leaf.map(\.kind.hasOtherForm) ?? false
        let isMistakable = chance(oneIn: 12) && !hasOneWay
        // A part's plan may be used for the whole, where values that are read as nothing but themselves are in the way.
        let isContainer = shape == .keyed || shape == .unkeyed
        let shapesOfParts: [CallNode.Shape] = written.hasOwnKinds ? [] : [.single, .handedOn]
        let containers: [CallNode.Shape] = written.hasOwnKinds && !isContainer ? [] : [.keyed, .unkeyed]
        let readShape = isMistakable ? pick(containers + [.nothing] + shapesOfParts) : shape
        let readKeys = chance(oneIn: 6) ? pick([CallNode.Keys.enumeration, .open, .numbers]) : keys
        let readFailure = chance(oneIn: 20) ? next() % (calls.count + 1) : nil
        return CallNode(
            number: number, isRecord: isRecord && canBeRecord || isRoot, shape: shape, keys: keys, calls: calls,
            failure: failure,
            readShape: readShape, readKeys: readKeys, readFailure: readFailure)
    }

    private mutating func calls(
        of shape: CallNode.Shape, depth: Int, isRegular: Bool, isMerged: Bool, canBeScalar: Bool
    ) -> [Call] {
        let count =
            switch shape {
            case .keyed, .unkeyed: next() % 6
            case .single, .unusedSingle, .handedOn: 1
            case .nothing: 0
            }
        var calls: [Call] = []
        for position in 0..<count {
            let isOwnKindFit =
                shape != .unkeyed
                || isRegular && calls.allSatisfy { if case .leaf = $0.content { true } else { false } }
            let content = content(
                in: shape, depth: depth, hasOwnKinds: isOwnKindFit, canMerge: !isMerged && position == count - 1,
                canBeScalar: canBeScalar)
            let (isCaught, time) = (!chance(oneIn: 4), next() % 6)
            calls.append(
                Call(
                    key: key(for: content, position, isMerged: isMerged), content: content, isCaught: isCaught,
                    asksAgain: time == 5, isLate: time == 4 && content.canWait(in: shape),
                    readings: readings(of: content, in: shape, isRegular: isRegular)))
        }
        return calls
    }

    private mutating func key(for content: Call.Content, _ position: Int, isMerged: Bool) -> Int? {
        if case .superEncoder = content, position == 0, !isMerged { return nil }
        return isMerged ? 8 + position : position
    }

    private mutating func content(
        in shape: CallNode.Shape, depth: Int, hasOwnKinds: Bool, canMerge: Bool, canBeScalar: Bool
    ) -> Call.Content {
        let isDeep = depth >= 4 || nodeCount > 30
        let choice = next() % 12
        switch shape {
        case .keyed where !isDeep && choice == 11 && canMerge: return .merged(node(depth: depth + 1, isMerged: true))
        case .keyed, .unkeyed:
            if isDeep || choice < 5 { return choice == 0 ? .null : .leaf(leaf(hasOwnKinds: hasOwnKinds)) }
            if choice < 8 { return .value(node(depth: depth + 1, canBeScalar: canBeScalar)) }
            let inner = node(depth: depth + 1, canBeScalar: canBeScalar)
            if choice < 10, inner.shape == .keyed || inner.shape == .unkeyed { return .nested(inner) }
            return .superEncoder(inner)
        case .single, .handedOn, .unusedSingle, .nothing:
            if isDeep || choice < 6 { return choice == 0 ? .null : .leaf(leaf(hasOwnKinds: canBeScalar)) }
            return .value(node(depth: depth + 1, canBeScalar: canBeScalar))
        }
    }

    private mutating func readings(
        of content: Call.Content, in shape: CallNode.Shape, isRegular: Bool
    ) -> [(reading: Call.Reading, isCaught: Bool)] {
        let way = next()
        if isRegular { return [(.same(way: way), false)] }
        var readings: [(reading: Call.Reading, isCaught: Bool)] = []
        for _ in 0..<(1 + next() % 3) {
            let choice = next() % 10
            let kinds = CallLeaf.Kind.allCases.filter { !$0.isReadAsItselfAlone }
            let reading: Call.Reading =
                switch choice {
                case 0..<5: .same(way: next())
                case 5, 6:
                    other(than: content, pick(kinds))
                case 7: .contains
                case 8: .isNull
                case 9: .missing(way: next())
                default: .allKeys
                }
            readings.append((reading, !chance(oneIn: 5)))
        }
        return readings
    }

    private mutating func other(than content: Call.Content, _ kind: CallLeaf.Kind) -> Call.Reading {
        let isCollection = kind == .map || kind == .list
        let isKnown = content.node?.hasOwnKinds ?? false
        if content.isReadAsItselfAlone || isCollection && isKnown { return .same(way: next()) }
        return .other(kind, isOptional: chance(oneIn: 3))
    }

    private mutating func leaf(hasOwnKinds: Bool) -> CallLeaf {
        let kinds = CallLeaf.Kind.allCases.filter { hasOwnKinds || !$0.isReadAsItselfAlone && !$0.hasOtherForm }
        let small = next() % 256
        let texts = ["", "a", "1", "true", "http://a.b/c?d", "2001-02-03T04:05:06Z", "$ref", "é", "12.50"]
        let date = Date(timeIntervalSinceReferenceDate: Double(small) / 4)
        let map = ["value": small, "a.b": 1, "$ref": 2].filter { $0.value != small || small % 3 != 0 }
        let kind = pick(kinds)
        switch kind {
        case .bool: return .bool(small % 2 == 1)
        case .int: return .int(small % 3 == 0 ? small % 2 : small - 100)
        case .int8: return .int8(Int8(truncatingIfNeeded: small))
        case .int16: return .int16(Int16(small * 100))
        case .int32: return .int32(Int32(-small))
        case .int64: return .int64(Int64(small) << 20)
        case .uint: return .uint(UInt(small))
        case .uint8: return .uint8(UInt8(small))
        case .uint16: return .uint16(UInt16(small))
        case .uint32: return .uint32(UInt32(small))
        case .uint64: return .uint64(UInt64(small))
        case .float: return .float(Float(small) / 2)
        case .double: return .double(Double(small) / 4 - 8)
        case .string: return .string(texts[small % texts.count])
        case .url: return .other(kind, URL(string: "http://a.b/\(small)") ?? URL(fileURLWithPath: "/"))
        case .uuid: return .other(kind, UUID(uuid: (UInt8(small), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)))
        case .date: return .other(kind, date)
        case .data: return .other(kind, Data([UInt8(small), 0, 255].prefix(small % 4)))
        case .decimal: return .other(kind, Decimal(small) / 8)
        case .list: return .other(kind, Array([small, 1, 0].prefix(small % 4)))
        case .map: return .other(kind, map)
        case .optional: return .optional(small % 2 == 0 ? nil : small)
        case .raw: return .other(kind, CallText.allCases[small % 3])
        }
    }
}
