import Foundation
import NestedRecords
import NestedRecordsCloudKit
import NestedRecordsHTTP

/// What addresses of CloudKit need of the process; tests have their own.
final class CloudKitContext: Sendable {
    @TaskLocal static var current = CloudKitContext()

    /// Tokens and keys are in variables and files: an argument would be in the history of the shell.
    let variables: [String: String]

    /// Sends the requests; nil for the one that sends them to Apple.
    let transport: (any RecordHTTPTransport)?

    /// The access of each user: databases of one user need one access, since a token is for one request.
    private let users = Lock<[[String]: CloudKitAccess]>([:])

    init(
        variables: [String: String] = ProcessInfo.processInfo.environment, transport: (any RecordHTTPTransport)? = nil
    ) {
        (self.variables, self.transport) = (variables, transport)
    }

    /// The access of the user whose web token is in a file.
    ///
    /// - Throws: ``InputError`` if the file cannot be read or replaced.
    func user(apiToken: String, in file: WebTokenFile) throws -> CloudKitAccess {
        try users.withLock { users in
            if let access = users[[apiToken, file.path]] { return access }
            let token = try file.token()
            // A file that cannot be replaced is an error before the token is used up.
            try file.write(token)
            let access = CloudKitAccess.user(apiToken: apiToken, webAuthToken: token) { next in
                do {
                    try file.write(next)
                } catch {
                    // The command goes on: the next answer has another token to write.
                    let line = "records: warning: \(ErrorLine.text(of: error))\n"
                    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
                }
            }
            users[[apiToken, file.path]] = access
            return access
        }
    }

    /// The values of two variables; nil if one of them is missing or empty.
    func values(of first: String, _ second: String) -> (String, String)? {
        guard let one = variables[first], let other = variables[second], !one.isEmpty, !other.isEmpty else {
            return nil
        }
        return (one, other)
    }
}
