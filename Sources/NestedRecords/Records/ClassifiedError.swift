#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An error with a kind, which says what the error means for the caller, and a code, which says what exactly is wrong.
///
/// ```swift
/// do {
///     school = try await store.fetch(School.self, named: "hilltop").value
/// } catch RecordError.Code.recordNotFound {
///     school = School(id: "hilltop")
/// }
/// ```
public protocol ClassifiedError: LocalizedError, CustomStringConvertible, Sendable {
    /// What is wrong, without the details.
    var code: ErrorCode<Self> { get }

    /// What the error means for the caller; by default that of the code.
    var kind: ErrorKind { get }

    /// Whether nothing was done, and the same call may succeed later; by default that of the code.
    var isTransient: Bool { get }

    /// The details, where the code alone is not enough.
    var reason: String? { get }

    /// The record that the error is about; nil by default.
    var recordID: Record.ID? { get }

    /// The error that led to this one; nil by default.
    var underlyingError: (any Error)? { get }
}

extension ClassifiedError {
    /// What is wrong, without the details.
    public typealias Code = ErrorCode<Self>

    /// The kind of the code.
    public var kind: ErrorKind { code.kind }

    /// Whether errors with the code are transient.
    public var isTransient: Bool { code.isTransient }

    /// Nil.
    public var recordID: Record.ID? { nil }

    /// Nil.
    public var underlyingError: (any Error)? { nil }

    /// The description.
    public var errorDescription: String? { description }

    /// The reason.
    public var failureReason: String? { reason }

    /// Nil.
    public var recoverySuggestion: String? { nil }

    /// Nil.
    public var helpAnchor: String? { nil }
}

/// What an error means for the caller; a service answers each kind with one status, as in <doc:ErrorHandling>.
public enum ErrorKind: String, Sendable, CaseIterable {
    /// The record that was asked for is missing.
    case notFound

    /// The record to add already exists.
    case alreadyExists

    /// The data has changed since the caller read it, or other records prevent the change.
    case conflict

    /// The caller is not signed in.
    case unauthenticated

    /// The caller is signed in, and may not do this.
    case forbidden

    /// The caller's values, names, filters or options cannot be used.
    case invalidInput

    /// The database cannot answer now, or no longer.
    case unavailable

    /// The stored data is damaged, or does not fit the Swift types.
    case damaged

    /// The database or this version of the library does not support the operation.
    case unsupported

    /// The kind of a ``ClassifiedError`` or of an error of a coder; nil for other errors.
    ///
    /// An `EncodingError` is invalid input. A `DecodingError` is damage if a stored record does not fit: it is caused by
    /// `RecordError.Code.unreadableRecord`. Any other one, as that of a client's JSON, is invalid input.
    public init?(of error: any Error) {
        switch error {
        case let error as any ClassifiedError: self = error.kind
        case is EncodingError: self = .invalidInput
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            self = RecordError.Code.unreadableRecord ~= context ? .damaged : .invalidInput
        default: return nil
        }
    }
}

/// What is wrong, without the details.
///
/// Compare it with the constants of its error; future versions may add more. It is a pattern for `catch`, as in `catch
/// RecordError.Code.recordNotFound`.
public struct ErrorCode<Failure: ClassifiedError>: Sendable {
    /// The name of the code.
    public let rawValue: String

    /// What errors with this code mean for the caller.
    public let kind: ErrorKind

    /// Whether nothing was done, and the same call may succeed later.
    public let isTransient: Bool

    /// Makes a code, for example a custom code of a database.
    ///
    /// - Parameters:
    ///   - rawValue: The name of the code.
    ///   - kind: What errors with this code mean for the caller.
    ///   - isTransient: Whether nothing was done, and the same call may succeed later.
    public init(_ rawValue: String, kind: ErrorKind, isTransient: Bool = false) {
        (self.rawValue, self.kind, self.isTransient) = (rawValue, kind, isTransient)
    }

    /// Returns whether an error has this code.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? Failure)?.code == code }
}

extension ErrorCode: Hashable {
    /// Whether both have the same name.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension ErrorCode: CustomStringConvertible {
    /// The name of the code.
    public var description: String { rawValue }
}

extension ErrorCode<RecordError> {
    fileprivate static func ~= (code: Self, context: DecodingError.Context) -> Bool {
        context.underlyingError.map { code ~= $0 } ?? false
    }
}

// MARK: Messages

/// The text of a missing detail in an error message.
let unknown = "(unknown)"

extension Optional {
    package var orUnknown: String { map { "\($0)" } ?? unknown }

    /// The detail of an error after a colon; empty if there is none.
    package var detail: String { map { ": \($0)" } ?? "" }
}
