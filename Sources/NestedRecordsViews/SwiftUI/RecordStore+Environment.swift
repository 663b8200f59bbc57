#if canImport(SwiftUI)
public import NestedRecords
public import SwiftUI

extension EnvironmentValues {
    private struct RecordStoreKey: EnvironmentKey {
        static let defaultValue: RecordStore? = nil
    }

    /// The store from which `LiveRecord` and `LiveRecords` read; nil if no containing view has set one.
    public var recordStore: RecordStore? {
        get { self[RecordStoreKey.self] }
        set { self[RecordStoreKey.self] = newValue }
    }
}

extension View {
    /// Sets the store from which the properties `LiveRecord` and `LiveRecords` of this view's content read.
    ///
    /// To show a store in another scope, such as that of another user, also give the content another identity: `.id(user)`.
    ///
    /// - Parameter store: The store.
    /// - Returns: The view.
    public func recordStore(_ store: RecordStore) -> some View { environment(\.recordStore, store) }
}
#endif
