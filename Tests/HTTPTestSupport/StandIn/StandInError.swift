/// An error of the stand-in server, in the form of.
///
/// https://cloud.google.com/apis/design/errors.
struct StandInError: Error {
    let code: Int
    let status: String
    let message: String

    static func invalid(_ message: String) -> StandInError {
        StandInError(code: 400, status: "INVALID_ARGUMENT", message: message)
    }

    static func unmet(_ message: String) -> StandInError {
        StandInError(code: 400, status: "FAILED_PRECONDITION", message: message)
    }

    static func missing(_ message: String) -> StandInError {
        StandInError(code: 404, status: "NOT_FOUND", message: message)
    }

    static func exists(_ message: String) -> StandInError {
        StandInError(code: 409, status: "ALREADY_EXISTS", message: message)
    }

    var json: StandInJSON {
        .make([
            "error": .make(["code": .number(Double(code)), "message": .text(message), "status": .text(status)])
        ])
    }
}

extension StandInJSON {
    /// Refuses unknown members, as the parser of protocol buffers does.
    ///
    /// https://protobuf.dev/programming-guides/json/
    func checkMembers(_ known: Set<String>) throws {
        guard let members else { throw StandInError.invalid("found no object") }
        for member in members where !known.contains(member.name) {
            throw StandInError.invalid("Unknown name \"\(member.name)\": Cannot find field.")
        }
    }
}
