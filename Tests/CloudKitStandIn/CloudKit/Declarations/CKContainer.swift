import Foundation

/// Page: cloudkit/ckcurrentuserdefaultname [not verified: its value].
@available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
public let CKCurrentUserDefaultName = "__defaultOwner__"

/// Page: cloudkit/ckcontainer.
///
/// An object is one device here: `StandInCloud.container(user:)` makes it with the user that is signed in.
@available(macOS 10.10, iOS 8.0, watchOS 3.0, visionOS 1.0, *)
public final class CKContainer: NSObject, Sendable {
    /// Page: cloudkit/ckcontainer/containeridentifier.
    public let containerIdentifier: String?

    let cloud: StandInCloud
    let user: Locked<String?>

    init(cloud: StandInCloud, user: String?, identifier: String) {
        (self.cloud, self.user, containerIdentifier) = (cloud, Locked(user), identifier)
    }

    /// Page: cloudkit/ckcontainer/init(identifier:).
    public convenience init(identifier: String) {
        self.init(cloud: .standard, user: StandInCloud.standardUser, identifier: identifier)
        cloud.add(self)
    }

    /// Page: cloudkit/ckcontainer/default().
    public class func `default`() -> CKContainer { StandInCloud.standard.container(user: StandInCloud.standardUser) }

    /// Page: cloudkit/ckcontainer/privateclouddatabase.
    public var privateCloudDatabase: CKDatabase { database(with: .private) }

    /// Page: cloudkit/ckcontainer/publicclouddatabase.
    public var publicCloudDatabase: CKDatabase { database(with: .public) }

    /// Page: cloudkit/ckcontainer/sharedclouddatabase.
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public var sharedCloudDatabase: CKDatabase { database(with: .shared) }

    /// Page: cloudkit/ckcontainer/database(with:).
    @available(macOS 10.12, iOS 10.0, tvOS 10.0, watchOS 3.0, visionOS 1.0, *)
    public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
        CKDatabase(container: self, scope: databaseScope)
    }

    /// Page: cloudkit/ckcontainer/accountstatus(completionhandler:), which prints no availability.
    public func accountStatus() async throws -> CKAccountStatus {
        try cloud.perform(.accountStatus, publicCloudDatabase) { user, _ in user == nil ? .noAccount : .available }
    }

    /// Page: cloudkit/ckcontainer/fetchuserrecordid(completionhandler:), which prints no availability.
    public func userRecordID() async throws -> CKRecord.ID {
        try cloud.perform(.userRecordID, publicCloudDatabase) { user, _ in
            guard let user else { throw CKError(.notAuthenticated) }
            return CKRecord.ID(recordName: StandInCloud.recordName(ofUser: user))
        }
    }
}
