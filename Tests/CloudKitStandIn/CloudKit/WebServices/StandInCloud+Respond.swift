import Foundation

extension StandInCloud {
    /// Answers a request to the web services, or returns nil if the connection is lost.
    ///
    /// The paths and both ways to sign in:
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/SettingUpWebServices.html.
    /// Faults and counts are those of the other calls, with the names of web calls; a fault with a code of the network
    /// loses the connection.
    public func respond(to request: StandInRequest) -> StandInResponse? {
        if let file = respondWithFile(to: request) { return file }
        var response = StandInResponse(status: 200, headers: webHeaders, body: Data())
        var call: StandInWebCall?
        do {
            let known = try webCall(request)
            call = known
            response.body = Self.encoded(try known.answer())
        } catch {
            guard let failure = StandInWebError(error) else { return nil }
            (response.status, response.body) = (failure.status, Self.encoded(failure.json))
        }
        // Each answer to a web token has the next one. The page does not name the header, a report does:
        // https://github.com/brightdigit/MistKit/issues/462.
        // The old token is valid until the answer arrives: if that is lost, it stays valid.
        if let token = call?.token, let user = call?.user {
            if self.web.retiresTokens { state.withLock { _ = $0.webTokens.removeValue(forKey: token) } }
            response.headers["X-Apple-CloudKit-Web-Auth-Token"] = webToken(user: user)
        }
        return response
    }

    static func encoded(_ json: [String: Any]) -> Data {
        (try? JSONSerialization.data(withJSONObject: json, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
    }

    var webHeaders: [String: String] {
        let date = DateFormatter()
        date.locale = Locale(identifier: "en_US_POSIX")
        date.timeZone = TimeZone(secondsFromGMT: 0)
        date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return ["Content-Type": "application/json; charset=UTF-8", "Date": date.string(from: self.clock())]
    }

    /// Finds the operation and the caller.
    ///
    /// The errors of a wrong path and of a wrong environment are [not verified].
    private func webCall(_ request: StandInRequest) throws -> StandInWebCall {
        let scopes: [String: CKDatabase.Scope] = ["public": .public, "private": .private, "shared": .shared]
        let parts = request.subpath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 8, parts[0..<3] == ["", "database", "1"], parts[3].hasPrefix("iCloud."),
            let scope = scopes[parts[5]], let name = Call.Name(rawValue: parts[6] + "/" + parts[7])
        else { throw StandInWebError("NOT_FOUND", "no service at this path") }
        let isGet = [.webListZones, .webCurrentUser, .webCaller].contains(name)
        guard request.method == (isGet ? "GET" : "POST") else { throw StandInWebError.badRequest(request.method) }
        let (settings, tokens, uploads) = state.withLock { ($0.settings, $0.webTokens, $0.uploads) }
        let (user, token) = try caller(of: request, scope, parts[4], settings, tokens)
        let body = isGet ? [:] : try? JSONSerialization.jsonObject(with: request.body) as? [String: Any]
        let container = CKContainer(cloud: self, user: user, identifier: parts[3])
        return StandInWebCall(
            cloud: self, database: container.database(with: scope), user: user, token: token, web: settings.web,
            uploads: uploads, name: name, body: body)
    }

    private func caller(
        of request: StandInRequest, _ scope: CKDatabase.Scope, _ environment: String, _ settings: Settings,
        _ tokens: [String: WebToken]
    ) throws -> (user: String?, token: String?) {
        let failure = StandInWebError("AUTHENTICATION_FAILED", "Authentication failed")
        guard environment == (settings.isProduction ? "production" : "development") else { throw failure }
        if let key = request.header("X-Apple-CloudKit-Request-KeyID") {
            // A key acts as the developer who made it, in the public database; the code of the error [not verified]
            guard scope == .public else { throw StandInWebError("ACCESS_DENIED", "not with a server key") }
            guard let date = request.header("X-Apple-CloudKit-Request-ISO8601Date"), date.count == 20,
                let time = ISO8601DateFormatter().date(from: date),
                abs(time.timeIntervalSince(settings.clock())) <= settings.web.signatureWindow,
                let text = request.header("X-Apple-CloudKit-Request-SignatureV1"),
                let signature = Data(base64Encoded: text),
                let digest = settings.web.sha256?(request.body).base64EncodedString()
            else { throw failure }
            let message = Data("\(date):\(digest):\(request.subpath)".utf8)
            guard settings.web.verify?(message, signature, key) == true else { throw failure }
            return ("developer", nil)
        }
        guard request.parameter("ckAPIToken") == settings.web.apiToken else { throw failure }
        guard let token = request.parameter("ckWebAuthToken") else { return (nil, nil) }
        // The page tells the errors of a missing token, not those of an old one. [not verified]
        guard let known = tokens[token], known.expires > settings.clock() else { throw failure }
        return (known.user, token)
    }
}
