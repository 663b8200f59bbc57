public import NestedRecords
public import Observation

/// One live value for views: ``record`` has it, and is replaced while other objects are not.
///
/// ```swift
/// let model = LiveValueModel(Deck.self, named: "sea", in: store)
/// if let deck = model.record { Text(deck.title) } else if model.isMissing { Text("deleted") }
/// ```
///
/// After an error the last value stays. The model ends with its owner: it is not held while it waits for changes.
@MainActor @Observable
public final class LiveValueModel<Value: RecordCodable & Sendable> {
    /// The value; nil while it is missing, and before it is loaded.
    public private(set) var record: RecordModel<Value>?

    /// Whether the record is missing in the database.
    public private(set) var isMissing = false

    /// Performs each change of what is shown, such as within an animation; nil to perform it directly.
    ///
    /// It must not hold the model.
    @ObservationIgnored public var perform: (@MainActor (_ change: () -> Void) -> Void)?

    private let loop = LiveLoop()
    @ObservationIgnored private var source: (id: Record.ID?, database: ObjectIdentifier?, begin: @MainActor () -> Void)?

    /// Makes a model that shows nothing, and loads nothing, before ``show(named:in:)``.
    public init() {}

    /// Makes a model of the value with a name, and begins to load it.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - store: Where it is stored.
    public init(_ type: Value.Type, named name: some RecordNameConvertible & Sendable, in store: RecordStore) {
        show(named: name, in: store)
    }

    /// Shows the value with a name, in place of another; nothing happens if it is shown already.
    ///
    /// - Parameters:
    ///   - name: The name of its record.
    ///   - store: Where it is stored; nil shows ``MissingRecordStore`` as the error. Another database that is a structure, such
    ///     as that of a scope, is not recognized while the name is the same.
    public func show(named name: some RecordNameConvertible & Sendable, in store: RecordStore?) {
        guard let store else {
            source = nil
            return loop.endWithoutStore()
        }
        let (id, database) = (try? Record.ID(of: Value.self, named: name), store.databaseObject)
        if let source, source.id == id, source.database == database { return }
        (record, isMissing) = (nil, false)
        source = (
            id, database,
            { [loop, weak self] in
                loop.start(store.live(Value.self, named: name)) { self?.receive($0, in: store) }
            }
        )
        retry()
    }

    /// The value, without its versions.
    public var value: Value? { record?.value }

    /// Whether the value is being loaded, for the first time or again.
    public var isLoading: Bool { loop.isLoading }

    /// Why the value cannot be read, or cannot be read again; nil if it can.
    public var error: (any Error)? { loop.error }

    /// Reads the value again from the beginning, also after an error that has ended the reading.
    public func retry() {
        record?.beginFollowing()
        source?.begin()
    }

    /// Reads the value again, and returns when it, or the error, is shown.
    public func refresh() async {
        if source == nil { return }
        retry()
        await loop.waitUntilLoaded()
    }

    private func receive(_ stored: Stored<Value>?, in store: RecordStore) {
        let change = { [self] in
            if let stored, let record {
                record.receive(stored)
            } else if stored != nil || record != nil {
                record = stored.map { RecordModel($0, in: store) }
            }
            if isMissing != (stored == nil) { isMissing = stored == nil }
        }
        if let perform { perform(change) } else { change() }
    }
}

/// A view shows records, and no view that contains it has a store.
public struct MissingRecordStore: Error, CustomStringConvertible {
    /// What is missing, and what to write.
    public var description: String { "the view needs a store: add .recordStore(store) to a view that contains it" }
}
