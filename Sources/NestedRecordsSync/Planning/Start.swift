/// What becomes of records that differ without a base.
enum Start: String, Sendable {
    case merge
    case takeRemote
    case pushLocal

    enum Side {
        case local
        case remote
    }

    /// The side whose state both get; nil to merge.
    var side: Side? {
        switch self {
        case .merge: nil
        case .takeRemote: .remote
        case .pushLocal: .local
        }
    }

    init(_ rule: SyncOptions.FirstSync) {
        switch rule {
        case .merge, .refuse: self = .merge
        case .takeRemote: self = .takeRemote
        case .pushLocal: self = .pushLocal
        }
    }

    init?(_ rule: SyncOptions.Restored) {
        switch rule {
        case .stop: return nil
        case .merge: self = .merge
        case .takeRemote: self = .takeRemote
        case .pushLocal: self = .pushLocal
        }
    }
}
