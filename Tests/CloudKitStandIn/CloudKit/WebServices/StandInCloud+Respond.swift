import Foundation

extension StandInCloud {
    /// Answers a request to the web services, or returns nil if the connection is lost.
    ///
    /// The paths and both ways to sign in:
    /// https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/SettingUpWebServices.html.
    /// Faults and counts are those of the other calls, with the names of web calls.
    public func respond(to request: StandInRequest) -> StandInResponse? {
        if let file = respondWithFile(to: request) { return file }
        var response = StandInResponse(status: 200, headers: webHeaders, body: Data())
        var json: [String: Any]
        do {
            let call = try webCall(request)
            do {
                json = try call.answer()
            } catch {
                guard let failure = StandInWebError(error) else { return nil }
                (response.status, json) = (failure.status, failure.json)
            }
            response.headers[Self.webTokenHeader] = call.token.flatMap { successor(of: $0, user: call.user) }
        } catch {
            guard let failure = StandInWebError(error) else { return nil }
            (response.status, json) = (failure.status, failure.json)
        }
        response.body = Self.encoded(json)
        return response
    }

    /// The header with the next web token; the page does not name it: https://github.com/brightdigit/MistKit/issues/462
    static let webTokenHeader = "X-Apple-CloudKit-Web-Auth-Token"

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

    /// Finds the operation and the caller. A wrong path or environment: the errors are [not verified].
    private func webCall(_ request: StandInRequest) throws -> StandInWebCall {
        let parts = request.subpath.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 8, parts[0].isEmpty, parts[1] == "database", parts[2] == "1",
            parts[3].hasPrefix("iCloud."), let scope = Self.scopes[parts[5]],
            let name = Call.Name(rawValue: parts[6] + "/" + parts[7])
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

    private static let scopes: [String: CKDatabase.Scope] = [
        "public": .public, "private": .private, "shared": .shared,
    ]

    private func caller(
        of request: StandInRequest, _ scope: CKDatabase.Scope, _ environment: String, _ settings: Settings,
        _ tokens: [String: WebToken]
    ) throws -> (user: String?, token: String?) {
        let failure = StandInWebError("AUTHENTICATION_FAILED", "Authentication failed")
        guard environment == (settings.isProduction ? "production" : "development") else { throw failure }
        if let key = request.header("X-Apple-CloudKit-Request-KeyID") {
            // Keys are for the public database; the code of the error [not verified]
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
            return (settings.web.developer, nil)
        }
        guard request.parameter("ckAPIToken") == settings.web.apiToken else { throw failure }
        guard let token = request.parameter("ckWebAuthToken") else { return (nil, nil) }
        // The page tells the errors of a missing token, not those of an old one. [not verified]
        guard let known = tokens[token], known.expires > settings.clock() else { throw failure }
        return (known.user, token)
    }

    /// The next token of a caller: each answer has one.
    ///
    /// The old one is valid until the answer arrives, so it stays valid if the answer is lost.
    private func successor(of token: String, user: String?) -> String? {
        if self.web.retiresTokens { state.withLock { _ = $0.webTokens.removeValue(forKey: token) } }
        return user.map(webToken)
    }
}
