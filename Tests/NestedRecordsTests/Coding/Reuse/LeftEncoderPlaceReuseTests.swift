import NestedRecords
import Testing

/// What values leave of encoders tells where they stood, not where others stand now.
@Suite(.timeLimit(.minutes(10))) struct LeftEncoderPlaceReuseTests {
    private final class Found {
        var ids: [String] = []
        var paths: [[String]] = []
    }

    /// Encodes two records; while the second one is written, what the first one left is asked for its place.
    private func placeOfLeftovers(_ kind: LeavingPart.Kind, _ place: Leaver.Place) throws -> Found {
        let shelf = Shelf()
        let found = Found()
        let early = Leaver(place: place, part: LeavingPart(kind: kind, text: "early", shelf: shelf))
        var now = Leaver(place: place, part: LeavingPart(kind: kind, text: "now"))
        now.part.meanwhile = {
            for leftover in shelf.clear() {
                found.paths.append(leftover.path())
                if let id = leftover.recordID() { found.ids.append(id.description) }
                _ = try? leftover.use("late")
            }
        }
        #expect(try RecordEncoder().encode([early, now]).lines == [early.line, now.line])
        #expect(!found.paths.isEmpty)
        return found
    }

    @Test(arguments: LeavingPart.Kind.allCases, Leaver.Place.allCases)
    func leftoversDoNotTellThePlaceOfALaterValue(kind: LeavingPart.Kind, place: Leaver.Place) throws {
        let found = try placeOfLeftovers(kind, place)
        #expect(!found.ids.contains("Leaver/now"))
        #expect(found.paths.allSatisfy { !$0.contains("now") })
    }
}
