/// The elements of a page around its data.
enum PageFrame {
    /// The page up to its data.
    ///
    /// - Parameters:
    ///   - title: The title as XML.
    ///   - drawing: The drawing as SVG.
    static func start(title: String, drawing: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
        <title>\(title)</title>
        <style>
        \(PageStyle.sheet)
        </style>
        </head>
        <body>
        <header>
        <h1 dir="auto">\(title)</h1>
        <a href="#">All records</a>
        <input id="search" type="search" placeholder="Search IDs and texts (press /)" \
        aria-label="Search IDs and texts" autocomplete="off" spellcheck="false" dir="auto">
        </header>
        <nav id="list" aria-label="Records"></nav>
        <main id="main" tabindex="-1"><noscript>This page needs JavaScript.</noscript></main>
        <template id="drawing">
        \(drawing)</template>
        <script id="data" type="application/json">
        """
    }

    /// The page after its data.
    static let end = """
        </script>
        <script>
        \(PageScript.records)
        \(PageScript.elements)
        \(PageScript.views)
        \(PageScript.search)
        </script>
        </body>
        </html>

        """
}
