import Foundation

/// Page: cloudkit/ckdatabase.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKDatabase: NSObject, Sendable {
    let container: CKContainer

    /// Page: cloudkit/ckdatabase/databasescope.
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public let databaseScope: CKDatabase.Scope

    init(container: CKContainer, scope: Scope) { (self.container, databaseScope) = (container, scope) }

    /// Page: cloudkit/ckdatabase/scope [not verified: its raw values].
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public enum Scope: Int, Sendable {
        /// Page: cloudkit/ckdatabase/scope/public.
        case `public` = 1

        /// Page: cloudkit/ckdatabase/scope/private.
        case `private` = 2

        /// Page: cloudkit/ckdatabase/scope/shared.
        case shared = 3
    }
}
