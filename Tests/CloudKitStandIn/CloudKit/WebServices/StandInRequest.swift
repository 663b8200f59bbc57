import Foundation

/// A request to the web services.
public struct StandInRequest: Sendable {
    /// The method.
    public var method: String

    /// The path with the query, without the host.
    public var path: String

    /// The headers; upper and lower case are the same.
    public var headers: [String: String]

    /// The body.
    public var body: Data

    /// A request.
    public init(method: String = "POST", path: String, headers: [String: String] = [:], body: Data = Data()) {
        (self.method, self.path, self.headers, self.body) = (method, path, headers, body)
    }

    func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name.lowercased() }?.value }

    /// The path without the query, which is the subpath that is signed.
    var subpath: String { String(path.prefix { $0 != "?" }) }

    /// A value of the query, in which a plus sign that is not encoded is a space.
    ///
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/SettingUpWebServices.html
    func parameter(_ name: String) -> String? {
        let items = path.drop { $0 != "?" }.dropFirst().split(separator: "&")
        let value = items.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
        return value?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
    }
}

/// An answer of the web services.
public struct StandInResponse: Sendable {
    /// The HTTP status.
    public var status: Int

    /// The headers.
    public var headers: [String: String]

    /// The body.
    public var body: Data
}
