/// What a change token stands for: a number of changes in a database or a zone, which a new one of the name is not.
struct StandInPosition: Sendable, Equatable {
    var history: String
    var epoch: Int
    var change: Int

    var text: String { "\(history) \(epoch) \(change)" }

    init(history: String, epoch: Int, change: Int) {
        (self.history, self.epoch, self.change) = (history, epoch, change)
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let epoch = Int(parts[1]), let change = Int(parts[2]) else { return nil }
        self.init(history: String(parts[0]), epoch: epoch, change: change)
    }
}
