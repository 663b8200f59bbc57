import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the page, which need no token: the page asks for it.
struct PageRoutes {
    /// What a browser lets the page do: it loads its own files and calls the service, and never parses text as HTML.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data: blob:; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """

    func add(to router: Router<CardsContext>) {
        add("/", "text/html", PackageResources.page_html, to: router)
        add("/page.css", "text/css", PackageResources.page_css, to: router)
        add("/page.js", "text/javascript", PackageResources.page_js, to: router)
    }

    private func add(_ path: RouterPath, _ type: String, _ bytes: [UInt8], to router: Router<CardsContext>) {
        let body = ByteBuffer(bytes: bytes)
        let headers: HTTPFields = [
            .contentType: "\(type); charset=utf-8", .cacheControl: "no-cache", .contentSecurityPolicy: Self.policy,
            .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        ]
        router.get(path) { _, _ in Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body)) }
    }
}
