import NestedRecords
import NestedRecordsViews
import Observation

/// The models of an app of learning cards, as its views use them.
@MainActor @Observable final class CardListScreen {
    let cards: LiveQueryModel<Card>

    /// The form that is shown; nil for none.
    var form: RecordDraft<Card>?

    private let store: RecordStore

    init(_ store: RecordStore) {
        self.store = store
        cards = LiveQueryModel(store.query(Card.self).sorted { $0.front }, pageSize: 20)
    }

    var score: String {
        let right = cards.rows.reduce(0) { $0 + $1.successes }
        return "\(right) of \(cards.rows.reduce(right) { $0 + $1.failures })"
    }

    func answer(_ row: RecordModel<Card>, isRight: Bool) async {
        await row.save { if isRight { $0.successes += 1 } else { $0.failures += 1 } }
    }

    func add(id: String) { form = RecordDraft(Card(id: id, front: "", back: ""), in: store) }

    func edit(_ row: RecordModel<Card>) { form = row.edit() }

    /// Saves the form, and closes it unless something is wrong.
    func done() async {
        if await form?.save() == true { form = nil }
    }

    func search(_ prefix: String) {
        let all = store.query(Card.self).sorted { $0.front }
        cards.show(prefix.isEmpty ? all : all.filter { $0.front.hasPrefix(prefix) })
    }
}
