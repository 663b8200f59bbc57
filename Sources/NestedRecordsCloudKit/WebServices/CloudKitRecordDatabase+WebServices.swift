public import Foundation
import NestedRecords
public import NestedRecordsHTTP

extension CloudKitRecordDatabase {
    /// Makes a database over CloudKit's web services, on any system; no request is sent before the first call.
    ///
    /// With the rights of a user it is a zone of the user's private database, and with a server key the public database.
    ///
    /// - Parameters:
    ///   - container: The ID of the container, such as `iCloud.com.example.schools`.
    ///   - environment: The environment of the container.
    ///   - access: Whose rights the requests have.
    ///   - options: How the records are in CloudKit.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for a container that has another form, for a name
    ///   that a zone cannot have, and for plain names in a zone.
    public init(
        container: String, environment: CloudKitEnvironment, access: CloudKitAccess, options: Options = Options()
    ) throws {
        guard let address = URL(string: "https://api.apple-cloudkit.com") else {
            throw RecordDatabaseError(.invalidOptions, reason: "the address of CloudKit is not a URL")
        }
        try self.init(
            container: container, environment: environment, access: access, transport: URLSessionTransport(address),
            options: options)
    }

    /// Makes a database over CloudKit's web services with a transport of one's own.
    ///
    /// - Parameters:
    ///   - container: The ID of the container.
    ///   - environment: The environment of the container.
    ///   - access: Whose rights the requests have.
    ///   - transport: Sends the requests.
    ///   - files: Makes what sends requests to the address of a file, with an empty path; by default a transport of Foundation.
    ///   - options: How the records are in CloudKit.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for a container that has another form, for a name
    ///   that a zone cannot have, and for plain names in a zone.
    public init(
        container: String, environment: CloudKitEnvironment, access: CloudKitAccess,
        transport: some RecordHTTPTransport,
        files: @escaping @Sendable (URL) -> any RecordHTTPTransport = { URLSessionTransport($0) },
        options: Options = Options()
    ) throws {
        let isPlain = container.utf8.allSatisfy { byte in
            (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
        }
        guard isPlain, container.utf8.starts(with: "iCloud.".utf8) else {
            throw RecordDatabaseError(
                .invalidOptions,
                reason: "the ID \(container.debugDescription) of a container does not begin with 'iCloud.'")
        }
        if !access.isPublic { try options.checkZone() }
        if !access.isPublic, options.naming.targets != nil {
            throw RecordDatabaseError(
                .invalidOptions,
                reason:
                    "the web services do not state the types of deleted records, which plain names do not have either")
        }
        var options = options
        options.batchLimit = min(options.batchLimit, WebServicesPort.mostItems)
        let scope = access.isPublic ? "public" : "private"
        let exchange = WebExchange(
            transport: transport, credentials: access.credentials,
            path: "/database/1/\(container)/\(environment.rawValue)/\(scope)", deadline: .seconds(60),
            files: files)
        let zone = access.isPublic ? nil : options.zone
        let names = [container, environment.rawValue, scope, zone ?? "_defaultZone"]
        self.init(
            WebServicesPort(exchange: exchange, zone: zone), store: names.joined(separator: "/"), options: options)
    }
}
