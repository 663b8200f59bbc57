import TestSupport
import Testing

@_spi(Engines) @testable import NestedRecords

@Suite(.timeLimit(.minutes(60))) struct DeepFormTests {
    enum Step: CaseIterable, Sendable {
        case list, map

        var kind: BinaryFormat.Kind { self == .list ? .list : .map }

        func value(around value: Record.Value) -> Record.Value { self == .list ? .list([value]) : .map(["": value]) }
    }

    /// A list in a list, and so on, with an integer in the innermost.
    private static func makeForm(levels: Int, by step: Step) -> [UInt8] {
        let level: [UInt8] = step == .list ? [9, 1] : [10, 1, 0]
        return BinaryForm.form(value: (0..<levels).flatMap { _ in level } + [3, 2])
    }

    private static func makeRecord(levels: Int, by step: Step) throws -> Record {
        let value = (0..<levels).reduce(Record.Value.int(1)) { value, _ in step.value(around: value) }
        return try Flat.record("A/b", ["f": value])
    }

    @Test(arguments: Step.allCases) func deepestValueIsReadAndWrittenOnASmallStack(step: Step) async throws {
        let isSame = try await inThreadWithSmallStack {
            let form = Self.makeForm(levels: BinaryFormat.maximumNesting, by: step)
            let record = try BinaryForm.record(form)
            return try BinaryForm.bytes(of: record) == form
        }
        #expect(isSame)
    }

    @Test(arguments: [BinaryFormat.maximumNesting + 1, 100_000], Step.allCases)
    func deeperValueIsRefusedOnASmallStack(levels: Int, step: Step) async throws {
        let error = try await inThreadWithSmallStack {
            try #require(throws: RecordFormatError.self) {
                try BinaryForm.record(Self.makeForm(levels: levels, by: step))
            }
        }
        #expect(error.code == .nestedTooDeeply)
        #expect(error.offset == BinaryForm.valueOffset + BinaryFormat.maximumNesting * (step == .list ? 2 : 3))
        #expect(error.field == "f")
    }

    @Test(arguments: Step.allCases) func deeperValueIsNotWrittenAndLeavesTheBytesAsTheyWere(step: Step) async throws {
        let record = try Self.makeRecord(levels: BinaryFormat.maximumNesting + 1, by: step)
        try await inThreadWithSmallStack {
            var writer = RecordWriter()
            var bytes = GrowingBytes()
            bytes.append(byte: 7)
            do {
                try writer.append(record, metadata: record.metadata, to: &bytes)
                Issue.record("a value was written that cannot be read")
            } catch let error as RecordError where error.code == .depthLimitExceeded {
                let limit = try #require(error.limit)
                let place = error.context
                #expect(limit == BinaryFormat.maximumNesting)
                #expect(place.record == record.id)
                #expect(place.field == "f")
            }
            #expect(bytes.withBytes { Array($0) } == [7])
            try writer.append(Flat.record("A/b"), metadata: nil, to: &bytes)
            #expect(bytes.withBytes { Array($0) } == [7] + BinaryForm.form([0]))
        }
    }

    /// The value is taken apart by hand: to release it at once takes more stack than there is.
    @Test func valueOfAHundredThousandLevelsIsNotWritten() throws {
        var levels = [Record.Value.list([])]
        for _ in 0..<100_000 { levels.append(.list([levels[levels.count - 1]])) }
        let error = #expect(throws: RecordError.self) {
            try BinaryForm.bytes(of: Flat.record("A/b", ["g": .null, "f": levels[levels.count - 1]]))
        }
        while levels.popLast() != nil {}
        #expect(error?.code == .depthLimitExceeded && error?.limit == BinaryFormat.maximumNesting)
        #expect(error?.context.field == "f")
    }
}
