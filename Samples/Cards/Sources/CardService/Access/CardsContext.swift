import Hummingbird
import NIOCore

/// What the handlers of a request know.
struct CardsContext: RequestContext {
    var coreContext: CoreRequestContextStorage

    /// The connection.
    let channel: any Channel

    /// The name of the user; nil before the token is checked.
    private var userName: String?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }

    /// The greatest size of a body, in bytes.
    var maxUploadSize: Int { 64 * 1024 }

    /// The name of the user.
    var user: String {
        get throws {
            guard let userName else { throw Problem(.unauthorized) }
            return userName
        }
    }

    /// The same context for a user.
    func with(user: String) -> CardsContext {
        var context = self
        context.userName = user
        return context
    }
}
