import NestedRecords

/// What types may do besides what their plans say: they keep their encoder, decoder and containers, use those of calls that
/// have ended, and code other values in the middle of themselves.
///
/// None of it may change what the coders of records do. The coders of JSON, with which they are compared, are not disturbed.
///
/// Unchecked: one thread at a time runs programs.
package final class CallDisturbance: @unchecked Sendable {
    private static let mostPrograms = 16
    private static let mostUses = 64
    private static let mostOpenCalls = 4

    private var random: SplitMix64

    /// Programs to run in the middle of others.
    private var programs: [CallProgram] = []

    /// Uses of what was kept: of the calls that are open, the innermost one last, and of calls that have ended.
    private var openUses: [[() -> Void]] = []
    private var endedUses: [() -> Void] = []

    /// How many uses and programs have run.
    package private(set) var useCount = 0
    package private(set) var programCount = 0

    /// What was different where a program ran in the middle of another one; nil if nothing was.
    package private(set) var difference: String?

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Notes a program that may run in the middle of others.
    package func add(_ program: CallProgram) {
        if programs.count == Self.mostPrograms { programs.removeFirst() }
        programs.append(program)
    }

    /// Runs a call of an encoder or a decoder.
    ///
    /// What its types keep is used when it has ended.
    func call<Result>(_ body: () throws -> Result) rethrows -> Result {
        openUses.append([])
        defer {
            endedUses += openUses.removeLast()
            endedUses.removeFirst(max(0, endedUses.count - Self.mostUses))
        }
        return try body()
    }

    private func disturb() {
        if !endedUses.isEmpty, random.chance(oneIn: 4) {
            useCount += 1
            random.pick(endedUses)()
        }
        if !programs.isEmpty, difference == nil, openUses.count < Self.mostOpenCalls, random.chance(oneIn: 16) {
            programCount += 1
            let comparison = CallComparison(random.pick(programs), self)
            if comparison.difference != nil { difference = comparison.report }
        }
    }

    private func keep(_ use: @escaping () -> Void) {
        if !openUses.isEmpty, random.chance(oneIn: 4) { openUses[openUses.count - 1].append(use) }
    }
}

extension CallDisturbance {
    /// Disturbs the encoding of a value, and keeps its encoder.
    func begin(_ encoder: any Encoder) {
        disturb()
        keep {
            _ = (encoder.codingPath, encoder.userInfo)
            try? 7.encode(to: encoder)
            var list = encoder.unkeyedContainer()
            try? list.encode("kept")
            try? 7.encode(to: list.superEncoder())
            Self.use(encoder.container(keyedBy: CallOpenKey.self))
        }
    }

    /// Keeps a container of a value that is encoded.
    func end(_ encoder: any Encoder, _ shape: CallNode.Shape) {
        switch shape {
        case .keyed:
            let container = encoder.container(keyedBy: CallOpenKey.self)
            keep { Self.use(container) }
        case .unkeyed:
            var container = encoder.unkeyedContainer()
            keep { try? container.encode(["kept"]) }
        case .single, .handedOn, .unusedSingle, .nothing: break
        }
    }

    private static func use(_ container: KeyedEncodingContainer<CallOpenKey>) {
        var container = container
        try? container.encode("kept", forKey: CallOpenKey("kept"))
        try? container.encode(["kept"], forKey: CallOpenKey("a"))
        var nested = container.nestedContainer(keyedBy: CallKey.self, forKey: CallOpenKey("value"))
        try? nested.encode(7, forKey: .a)
        try? 7.encode(to: container.superEncoder())
    }
}

extension CallDisturbance {
    /// Disturbs the decoding of a value, and keeps its decoder.
    func begin(_ decoder: any Decoder) {
        disturb()
        keep {
            _ = (decoder.codingPath, decoder.userInfo)
            _ = try? Int(from: decoder)
            _ = try? [Int](from: decoder)
            _ = try? decoder.singleValueContainer().decode(String.self)
            _ = (try? decoder.container(keyedBy: CallOpenKey.self)).map(Self.use)
        }
    }

    /// Keeps a container of a value that was decoded.
    func end(_ decoder: any Decoder, _ shape: CallNode.Shape) {
        guard shape == .keyed, let container = try? decoder.container(keyedBy: CallOpenKey.self) else { return }
        keep { Self.use(container) }
    }

    private static func use(_ container: KeyedDecodingContainer<CallOpenKey>) {
        for key in container.allKeys + [CallOpenKey("missing")] {
            _ = try? container.decodeIfPresent(Int.self, forKey: key)
            _ = try? container.decode([String].self, forKey: key)
            _ = try? container.nestedContainer(keyedBy: CallKey.self, forKey: key).contains(.a)
        }
        _ = try? Int(from: container.superDecoder())
    }
}
