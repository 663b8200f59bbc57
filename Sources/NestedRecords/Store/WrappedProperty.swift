#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A stored property with a wrapper of the library.
///
/// A key path to the wrapped value has no name. The property that it reads is found with samples of the type, whose
/// wrapped values differ.
struct WrappedProperty {
    enum Wrapper {
        case recordName
        case serverTimestamp
        case explicitNull
    }

    /// The property's name, without the underscore of its storage.
    let name: String

    /// The type of the wrapped value.
    let type: Any.Type
    let wrapper: Wrapper

    private init?(_ stored: StoredProperty) {
        guard let wrapper = stored.type as? any RecordPropertyWrapper.Type, let name = stored.name.bytes(after: "_")
        else { return nil }
        (self.name, type, self.wrapper) = (name, wrapper.valueType, wrapper.wrapper)
    }

    /// The properties with wrappers of a type.
    static func all(of owner: Any.Type) -> [WrappedProperty] {
        StoredProperty.all(of: owner).compactMap(WrappedProperty.init)
    }

    /// The property whose wrapped value a key path reads; nil if that is not certain.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - name: The name that the key path prints, if it prints one.
    ///   - owner: The type of the values.
    static func property(
        readBy keyPath: AnyKeyPath, named name: String?, of owner: Any.Type,
        userInfo: [CodingUserInfoKey: any Sendable]
    ) -> WrappedProperty? {
        let all = all(of: owner).filter { $0.type == Swift.type(of: keyPath).valueType }
        if let name { return all.first { $0.name == name } }
        // The getter of a computed property may need values that are more than valid, so it is not called.
        guard !all.isEmpty, keyPath is any WritablePath, let owner = owner as? any Decodable.Type else { return nil }
        if let known = known.withLock({ $0[keyPath] }) { return all.first { $0.name == known } }
        let marks: [String?] = [nil] + all.map { Optional($0.name) }
        let found = all.filter { $0.isRead(by: keyPath, of: owner, marks, userInfo) }
        guard found.count == 1 else { return nil }
        known.withLock { $0[keyPath] = found[0].name }
        return found[0]
    }

    private static let known = Lock<[AnyKeyPath: String]>([:])

    private func isRead<Owner: Decodable>(
        by keyPath: AnyKeyPath, of _: Owner.Type, _ marks: [String?], _ userInfo: [CodingUserInfoKey: any Sendable]
    ) -> Bool {
        for seed in 0...1 {
            for marked in marks {
                let contents = SampleDecoder.Contents(seed: seed, marked: marked)
                guard let sample = SampleDecoder.sample(of: Owner.self, contents, userInfo: userInfo)?.value,
                    let wrapped = wrappedValue(in: sample), let read = sample[keyPath: keyPath],
                    Self.areEqual(wrapped, read)
                else { return false }
            }
        }
        return true
    }

    private func wrappedValue(in value: Any) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: value)
        while let present = mirror {
            for (label, child) in present.children where label?.bytes(after: "_") == name {
                return (child as? any RecordPropertyWrapper)?.anyValue
            }
            mirror = present.superclassMirror
        }
        return nil
    }

    private static func areEqual(_ left: Any, _ right: Any) -> Bool {
        func content(_ value: Any) -> Any? {
            guard let optional = value as? any OptionalType else { return value }
            return optional.content.flatMap(content)
        }
        func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { left == right as? Value }
        guard let left = content(left), let right = content(right) else {
            return content(left) == nil && content(right) == nil
        }
        return (left as? any Equatable).map { isEqual($0, right) } ?? true
    }
}

private protocol WritablePath {}

extension WritableKeyPath: WritablePath {}

protocol OptionalType {
    static var wrappedType: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
    var content: Any? { self }
}

private protocol RecordPropertyWrapper {
    static var wrapper: WrappedProperty.Wrapper { get }
    static var valueType: Any.Type { get }
    var anyValue: Any { get }
}

extension RecordName: RecordPropertyWrapper {
    fileprivate static var wrapper: WrappedProperty.Wrapper { .recordName }
    fileprivate static var valueType: Any.Type { Value.self }
    fileprivate var anyValue: Any { wrappedValue }
}

extension ServerTimestamp: RecordPropertyWrapper {
    fileprivate static var wrapper: WrappedProperty.Wrapper { .serverTimestamp }
    fileprivate static var valueType: Any.Type { Date?.self }
    fileprivate var anyValue: Any { wrappedValue as Any }
}

extension ExplicitNull: RecordPropertyWrapper {
    fileprivate static var wrapper: WrappedProperty.Wrapper { .explicitNull }
    fileprivate static var valueType: Any.Type { Wrapped?.self }
    fileprivate var anyValue: Any { wrappedValue as Any }
}
