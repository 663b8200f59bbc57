import NestedRecords

extension BrowserSession {
    func edit() async {
        guard let id = record else { return }
        guard let editing else { return message = BrowserEditing.refusal }
        do {
            let text = try await screen.suspended { try await editing.edit(id, from: source.input) }
            changeCount += 1
            if await read() { message = text }
        } catch {
            message = ErrorLine.text(of: error)
        }
    }

    func planDeletion(_ options: DeletionOptions) async {
        guard let id = deletion?.id ?? record else { return }
        guard editing != nil else { return message = BrowserEditing.refusal }
        let database = source.database
        deletion = await reading {
            BrowserDeletion(id: id, plan: try await database.deletionPlan(for: [id], options))
        }
        // Keys that were pressed before the plan is shown do not answer it.
        screen.dropKeys()
    }

    func handleInDeletion(_ key: Key) async {
        guard let shown = deletion, let editing else { return }
        if let choice = BrowserDeletion.choices.first(where: { key == .character($0.key) }) {
            return await planDeletion(shown.plan.options.symmetricDifference(choice.option))
        }
        guard key == .character("y"), shown.isAllowed else {
            if key == .character("n") || key == .escape || key == .control("c") {
                deletion = nil
                message = "nothing is deleted"
            }
            return
        }
        deletion = nil
        do {
            let text = try await editing.delete(shown.plan)
            changeCount += 1
            // The window of a deleted record has nothing to show.
            visits.removeAll { $0.place == .record(shown.id) }
            if await read() { message = text }
        } catch {
            message = ErrorLine.text(of: error)
        }
    }
}
