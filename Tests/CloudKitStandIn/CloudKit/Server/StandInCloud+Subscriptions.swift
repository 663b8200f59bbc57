import Foundation

extension StandInCloud {
    /// Saves and deletes subscriptions, which the public database refuses.
    ///
    /// https://developer.apple.com/documentation/cloudkit/ckdatabasesubscription
    func modifySubscriptions(
        _ database: CKDatabase, _ saving: [CKSubscription], _ deleting: [CKSubscription.ID]
    ) throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        let names = saving.map(\.subscriptionID)
        return try perform(.modifySubscriptions, database, saving: names, deleting: deleting) { user, state in
            state.use(self, database, user) { store, _ in
                var saved: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
                for subscription in saving {
                    if store.scope == .public {
                        saved[subscription.subscriptionID] = .failure(CKError(.invalidArguments))  // [not verified]
                    } else {
                        store.subscriptions[subscription.subscriptionID] = subscription
                        saved[subscription.subscriptionID] = .success(subscription)
                    }
                }
                var deleted: [CKSubscription.ID: Result<Void, any Error>] = [:]
                for id in deleting {
                    let isKnown = store.subscriptions.removeValue(forKey: id) != nil
                    deleted[id] = isKnown ? .success(()) : .failure(CKError(.unknownItem))  // [not verified]
                }
                return (saved, deleted)
            }
        }
    }

    /// Sends a push to the user's devices, except the one that made the change.
    ///
    /// Each subscription with changes since the last push gets one. Those of databases ignore default zones:
    /// https://developer.apple.com/documentation/cloudkit/ckdatabasesubscription,
    /// https://developer.apple.com/documentation/cloudkit/cksubscription
    func push(from database: CKDatabase) {
        let (ids, receivers, handler) = state.withLock { state -> ([String], [CKContainer], Settings.Push?) in
            let user = database.container.user.value
            let key = store(database, user)
            let last = state.pushed[key, default: 0]
            guard let store = state.stores[key], store.change > last else { return ([], [], nil) }
            let changed = store.zones.filter { $0.value.lastChange > last }.map(\.key)
            let zones = changed + store.deletedZones.filter { $0.value.change > last }.map(\.key)
            state.pushed[key] = store.change
            let ids = store.subscriptions.values.filter { subscription in
                zones.contains {
                    (subscription as? CKRecordZoneSubscription).map(\.zoneID.zoneName) == $0
                        || subscription is CKDatabaseSubscription && $0 != CKRecordZone.ID.defaultZoneName
                }
            }
            let others = state.containers.compactMap(\.container).filter {
                $0 !== database.container && $0.user.value == user
            }
            return (ids.map(\.subscriptionID), others, state.settings.push)
        }
        for id in ids {
            for container in receivers {
                handler?(container, ["container": container.containerIdentifier ?? "", "subscription": id])
            }
        }
    }
}
