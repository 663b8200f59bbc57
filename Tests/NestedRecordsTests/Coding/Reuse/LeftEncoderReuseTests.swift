import Foundation
import NestedRecords
import Testing

/// What values leave of the encoders of one call must not reach other calls.
@Suite(.timeLimit(.minutes(10))) struct LeftEncoderReuseTests {
    /// Encodes a value that leaves something, and gives that.
    private func leftovers(
        _ kind: LeavingPart.Kind, _ place: Leaver.Place, _ name: String = "early"
    ) throws -> [Leftover] {
        let shelf = Shelf()
        let leaver = Leaver(place: place, part: LeavingPart(kind: kind, text: name, shelf: shelf))
        #expect(try RecordEncoder().encode(leaver).lines == [leaver.line])
        let leftovers = shelf.clear()
        #expect(!leftovers.isEmpty)
        return leftovers
    }

    /// Uses everything that was left by a record.
    private func use(_ leftovers: [Leftover], of name: String = "early") {
        for leftover in leftovers {
            _ = try? leftover.use("late")
            #expect(leftover.path().allSatisfy { !$0.hasPrefix("now") && $0 != "late" })
            let id = leftover.recordID()
            #expect(id == nil || id?.description == "Leaver/\(name)")
        }
    }

    @Test(arguments: LeavingPart.Kind.allCases, Leaver.Place.allCases)
    func laterCallsOfTheSameTypeAreAsIfNothingWasLeft(kind: LeavingPart.Kind, place: Leaver.Place) throws {
        let left = try leftovers(kind, place)
        for number in 0..<5 {
            var leaver = Leaver(place: place, part: LeavingPart(kind: kind, text: "now\(number)"))
            leaver.part.meanwhile = { use(left) }
            #expect(try RecordEncoder().encode(leaver).lines == [leaver.line])
            use(left)
        }
    }

    @Test(arguments: LeavingPart.Kind.allCases)
    func everyCallMayLeaveSomething(kind: LeavingPart.Kind) throws {
        let shelf = Shelf()
        var all: [(name: String, leftovers: [Leftover])] = []
        for number in 0..<20 {
            let old = all.suffix(3)
            var part = LeavingPart(kind: kind, text: "n\(number)", shelf: shelf)
            part.meanwhile = { for (name, leftovers) in old { use(leftovers, of: name) } }
            let leaver = Leaver(place: Leaver.Place.allCases[number % 4], part: part)
            #expect(try RecordEncoder().encode(leaver).lines == [leaver.line])
            all.append((part.text, shelf.clear()))
        }
        for (name, leftovers) in all { use(leftovers, of: name) }
    }

    @Test(arguments: LeavingPart.Kind.allCases)
    func refusesWhatIsWrittenAfterManyFurtherCalls(kind: LeavingPart.Kind) throws {
        let left = try leftovers(kind, .record)
        for number in 0..<20 {
            let other = Leaver(
                place: .element, part: LeavingPart(kind: LeavingPart.Kind.allCases[number % 14], text: "now"))
            #expect(try RecordEncoder().encode(other).lines == [other.line])
        }
        for leftover in left {
            let error = #expect(throws: EncodingError.self) { try leftover.use("late") }
            guard case .invalidValue(_, let context) = error else { continue }
            #expect(context.debugDescription == "the container is used after its value was encoded")
            #expect(context.codingPath.allSatisfy { $0.stringValue != "now" })
        }
    }

    @Test(arguments: LeavingPart.Kind.allCases)
    func leftoversOfAFailedCallReachNothing(kind: LeavingPart.Kind) throws {
        struct Failure: Error {}
        for place in Leaver.Place.allCases {
            let shelf = Shelf()
            var part = LeavingPart(kind: kind, text: "early", shelf: shelf)
            part.meanwhile = { throw Failure() }
            #expect(throws: EncodingError.self) { try RecordEncoder().encode(Leaver(place: place, part: part)) }
            let left = shelf.clear()
            var leaver = Leaver(place: place, part: LeavingPart(kind: kind, text: "now"))
            leaver.part.meanwhile = { use(left) }
            #expect(try RecordEncoder().encode(leaver).lines == [leaver.line])
            use(left)
        }
    }
}
