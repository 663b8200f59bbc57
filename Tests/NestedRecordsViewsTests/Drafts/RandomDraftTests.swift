import NestedRecords
import NestedRecordsViews
import TestSupport
import Testing

/// Drafts beside another writer, in random order: no change is lost that was not given up by a choice.
@MainActor @Suite struct RandomDraftTests {
    /// The four properties of a card as numbers.
    private static func numbers(_ card: Card) -> [Int?] {
        [Int(card.front), Int(card.back), card.successes, card.failures]
    }

    nonisolated private static func set(_ field: Int, of card: inout Card, to number: Int) {
        switch field {
        case 0: card.front = "\(number)"
        case 1: card.back = "\(number)"
        case 2: card.successes = number
        default: card.failures = number
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func fieldsOfBothSidesArriveExceptThoseThatWereGivenUp(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let store = RecordStore(try InMemoryRecordDatabase(from: [Card(id: "1", front: "0", back: "0")]))
        let model = LiveValueModel(Card.self, named: "1", in: store)
        try await shown { model.record != nil }
        let record = try #require(model.record)
        var server = try #require(model.value)
        var next = 1
        for round in 0..<40 {
            let draft = record.edit()
            let side: DraftConflict.Side = random.chance(oneIn: 2) ? .mine : .theirs
            var mine: [Int: Int] = [:]
            var othersSinceFirstEdit: Set<Int> = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let field = Int.random(in: 0..<4, using: &random)
                let number = next
                next += 1
                if random.chance(oneIn: 2) {
                    Self.set(field, of: &draft.value, to: number)
                    mine[field] = number
                } else {
                    try await store.update(Card.self, named: "1") { Self.set(field, of: &$0, to: number) }
                    Self.set(field, of: &server, to: number)
                    if !mine.isEmpty { othersSinceFirstEdit.insert(field) }
                }
                if random.chance(oneIn: 3) { await Task.yield() }
                for (field, number) in mine { #expect(Self.numbers(draft.value)[field] == number) }
            }
            var attempts = 0
            while await !draft.save() {
                try #require(draft.failure == nil && !draft.conflicts.isEmpty && attempts < 5)
                attempts += 1
                for index in draft.conflicts.indices { draft.conflicts[index].choice = side }
            }
            let (stored, before) = (
                Self.numbers(try await store.fetch(Card.self, named: "1").value), Self.numbers(server)
            )
            for field in 0..<4 {
                let found = stored[field]
                if let number = mine[field] {
                    let isGivenUp = side == .theirs && othersSinceFirstEdit.contains(field)
                    let expected =
                        isGivenUp ? [before[field]] : side == .mine ? [number] : [number, before[field]]
                    #expect(expected.contains(found), "seed \(seed), round \(round), field \(field)")
                } else {
                    #expect(found == before[field], "seed \(seed), round \(round), field \(field)")
                }
            }
            #expect(!draft.isDirty && draft.conflicts.isEmpty)
            server = try await store.fetch(Card.self, named: "1").value
            try await shown { Self.numbers(record.value) == stored && Self.numbers(draft.value) == stored }
        }
    }
}
