import Foundation

/// The servers of one container, in this process, with the documented rules.
///
/// Each rule names its page, and what no page says is marked [not verified].
/// It uses no code of the adapter: what it cannot judge is whether the pages are right.
///
///     let cloud = StandInCloud()
///     let database = cloud.container(user: "ann").privateCloudDatabase
@dynamicMemberLookup
public final class StandInCloud: Sendable {
    struct State: Sendable {
        var settings = Settings()
        var stores: [String: StandInStore] = [:]
        var schema: [String: [String: String]] = [:]
        var containers: [Device] = []
        var pushed: [String: Int] = [:]
        var counts: [Call.Name: Int] = [:]
        var epoch = 0
        var refusals: [String: CKError.Code] = [:]
        var saves = 0
        var webTokens: [String: WebToken] = [:]
        var uploads: [String: Upload] = [:]
    }

    /// A container that is not kept alive.
    struct Device: Sendable { weak let container: CKContainer? }

    /// What `CKContainer.default()` and `CKContainer(identifier:)` speak to.
    public static let standard = StandInCloud()

    /// The user who is signed in there.
    public static let standardUser = "owner"

    let state = Locked(State())
    let assets = FileManager.default.temporaryDirectory.appendingPathComponent("assets-" + UUID().uuidString)

    /// Servers without data.
    public init() {}

    deinit { try? FileManager.default.removeItem(at: assets) }

    /// A setting, such as `isProduction`.
    public subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<Settings, Value>) -> Value {
        get { state.withLock { $0.settings[keyPath: path] } }
        set { state.withLock { $0.settings[keyPath: path] = newValue } }
    }

    /// The number of calls since the last reset, by name.
    public var counts: [Call.Name: Int] { state.withLock { $0.counts } }

    /// Counts from zero.
    public func resetCounts() { state.withLock { $0.counts = [:] } }

    /// Runs a call: counts it, asks for its fault, and changes the state or throws.
    func perform<Result>(
        _ name: Call.Name, _ database: CKDatabase, saving: [String] = [], deleting: [String] = [],
        _ body: (String?, inout State) throws -> Result
    ) throws -> Result {
        let (call, fault) = state.withLock { state in
            state.counts[name, default: 0] += 1
            let call = Call(
                name: name, number: state.counts.values.reduce(0, +), user: database.container.user.value,
                scope: database.databaseScope, saving: saving, deleting: deleting)
            return (call, state.settings.fault)
        }
        let outcome = fault?(call)
        if case .fails(let code, let retryAfter) = outcome {
            throw CKError(code, userInfo: retryAfter.map { [CKErrorRetryAfterKey: $0] } ?? [:])
        }
        // Without an account, the public database can be read and no other call works:
        // https://developer.apple.com/documentation/cloudkit/ckdatabase
        if call.user == nil, name != .accountStatus, database.databaseScope != .public || name.isWriting {
            throw CKError(.notAuthenticated)
        }
        let result = try state.withLock { state in
            if case .refuses(let codes) = outcome { state.refusals = codes }
            defer { state.refusals = [:] }
            return try body(call.user, &state)
        }
        if name.isWriting { push(from: database) }
        if case .losesAnswer(let code) = outcome { throw CKError(code) }
        return result
    }

    func store(_ database: CKDatabase, _ user: String?) -> String {
        switch database.databaseScope {
        case .public: "public"
        case .private: "private \(user ?? "")"
        case .shared: "shared \(user ?? "")"
        }
    }
}

extension StandInCloud.State {
    /// Reads or changes a database.
    mutating func use<Result>(
        _ cloud: StandInCloud, _ database: CKDatabase, _ user: String?,
        _ body: (inout StandInStore, inout StandInCloud.State) throws -> Result
    ) rethrows -> Result {
        let key = cloud.store(database, user)
        var store = stores[key] ?? StandInStore(scope: database.databaseScope)
        defer { stores[key] = store }
        return try body(&store, &self)
    }
}
