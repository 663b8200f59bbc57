import Foundation

@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
extension CKDatabase {
    /// Page: cloudkit/ckdatabase/save(_:)-69wq8.
    public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let results = try container.cloud.modifySubscriptions(self, [subscription], [])
        guard let result = results.saveResults[subscription.subscriptionID] else { throw CKError(.internalError) }
        return try result.get()
    }

    /// Page: cloudkit/ckdatabase/modifysubscriptions(saving:deleting:).
    public func modifySubscriptions(
        saving subscriptionsToSave: [CKSubscription], deleting subscriptionIDsToDelete: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        try container.cloud.modifySubscriptions(self, subscriptionsToSave, subscriptionIDsToDelete)
    }
}
