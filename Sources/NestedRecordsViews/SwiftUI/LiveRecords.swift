#if canImport(SwiftUI)
public import NestedRecords
public import SwiftUI

/// The live rows of a query, in a view.
///
/// ```swift
/// @LiveRecords(animation: .default, { $0.query(Card.self).sorted { $0.front } }) private var cards
/// ```
///
/// The projected value, here `$cards`, is the model, with `isLoading`, `error`, `loadMore()`, `insert` and `delete`.
@MainActor @propertyWrapper
public struct LiveRecords<Value: RecordCodable & Sendable>: DynamicProperty {
    @Environment(\.recordStore) private var store
    @State private var model = LiveQueryModel<Value>()
    private let pageSize: Int?
    private let animation: Animation?
    private let query: @MainActor (RecordStore) -> Query<Value>

    /// Makes the property.
    ///
    /// - Parameters:
    ///   - pageSize: The number of rows that are loaded at a time; nil to load all at once.
    ///   - animation: The animation of changes; nil for none.
    ///   - query: Makes the query in the store of the environment. If the view makes another query, the rows of the one before
    ///     stay until it is loaded.
    public init(
        pageSize: Int? = nil, animation: Animation? = nil, _ query: @escaping @MainActor (RecordStore) -> Query<Value>
    ) {
        (self.pageSize, self.animation, self.query) = (pageSize, animation, query)
    }

    /// The rows, in the order of the query.
    public var wrappedValue: [RecordModel<Value>] { model.rows }

    /// The model.
    public var projectedValue: LiveQueryModel<Value> { model }

    /// Gives the model the query.
    ///
    /// SwiftUI calls it on the main thread.
    public nonisolated func update() {
        MainActor.assumeIsolated {
            model.perform = nil
            if let animation { model.perform = { change in withAnimation(animation, change) } }
            model.pageSize = pageSize
            model.show(store.map(query))
        }
    }
}
#endif
