#if canImport(SwiftUI)
public import NestedRecords
public import SwiftUI

/// The live value of one record, in a view.
///
/// ```swift
/// init(id: String) { _card = LiveRecord(Card.self, named: id) }
/// @LiveRecord private var card: RecordModel<Card>?
/// ```
///
/// The projected value, here `$card`, is the model, with `isLoading`, `isMissing`, `error` and `retry()`.
@MainActor @propertyWrapper
public struct LiveRecord<Value: RecordCodable & Sendable>: DynamicProperty {
    @Environment(\.recordStore) private var store
    @State private var model = LiveValueModel<Value>()
    private let animation: Animation?
    private let show: @MainActor (LiveValueModel<Value>, RecordStore?) -> Void

    /// Makes the property.
    ///
    /// - Parameters:
    ///   - type: The Swift type of the value.
    ///   - name: The name of its record.
    ///   - animation: The animation of changes; nil for none.
    public init(
        _ type: Value.Type, named name: some RecordNameConvertible & Sendable, animation: Animation? = nil
    ) {
        self.animation = animation
        show = { model, store in model.show(named: name, in: store) }
    }

    /// The value; nil while it is missing, and before it is loaded.
    public var wrappedValue: RecordModel<Value>? { model.record }

    /// The model.
    public var projectedValue: LiveValueModel<Value> { model }

    /// Gives the model the name of the record.
    ///
    /// SwiftUI calls it on the main thread.
    public nonisolated func update() {
        MainActor.assumeIsolated {
            model.perform = nil
            if let animation { model.perform = { change in withAnimation(animation, change) } }
            show(model, store)
        }
    }
}
#endif
