/// The style sheet of a page, for light and dark surroundings and for narrow and wide windows.
enum PageStyle {
    /// The rules for all colours of types.
    static var sheet: String {
        let light = PictureColours.palette.map(\.light)
        let dark = PictureColours.palette.map(\.dark)
        return """
            :root { color-scheme: light dark; --ground: #ffffff; --text: #1f2328; --quiet: #59636e; --line: #d1d9e0;
                --raised: #f6f8fa; --link: #0550ae; }
            \(swatches(light))
            @media (prefers-color-scheme: dark) {
            :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9198a1; --line: #3d444d; --raised: #151b23;
                --link: #79b8ff; }
            \(swatches(dark))
            }
            \(rules)
            """
    }

    private static func swatches(_ colours: [(ground: String, border: String)]) -> String {
        colours.enumerated().map { ".t\($0).swatch { background: \($1.ground); border-color: \($1.border) }" }
            .joined(separator: "\n")
    }

    private static let rules = """
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
            display: grid; grid-template: auto 1fr / minmax(16rem, 24rem) minmax(0, 1fr); min-height: 100vh; }
        header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center;
            padding: .6rem 1rem; position: sticky; top: 0; z-index: 1; background: var(--raised);
            border-bottom: 1px solid var(--line); }
        h1 { font-size: 1.05rem; margin: 0; min-width: 0; overflow-wrap: anywhere; }
        h2 { font-size: 1.3rem; margin: 0 0 .8rem; overflow-wrap: anywhere; }
        h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
        input, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--quiet);
            border-radius: 6px; padding: .35rem .7rem; }
        input { flex: 1 1 14rem; max-width: 40rem; min-width: 0; }
        button { margin: .3rem 0; cursor: pointer; background: var(--raised); }
        nav { padding: .6rem 1rem 2rem; border-inline-end: 1px solid var(--line); position: sticky; top: 3.4rem;
            height: calc(100vh - 3.4rem); overflow-y: auto; }
        main { padding: 1.2rem 1.5rem 4rem; max-width: 80rem; }
        main:focus { outline: none; }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
        a { color: var(--link); }
        ul { list-style: none; margin: 0; padding: 0; }
        nav p { margin: 0; }
        summary { cursor: pointer; padding: .2rem 0; }
        details > div { padding-inline-start: 1rem; }
        a.record { display: block; padding: .2rem .3rem; text-decoration: none; overflow-wrap: anywhere;
            border-radius: 4px; }
        a.record:hover, a[aria-current] { background: var(--raised); }
        a.record:hover .id { text-decoration: underline; }
        a.missing .id { text-decoration: line-through; }
        .quiet, .kind { color: var(--quiet); }
        .swatch { display: inline-block; width: .8em; height: .8em; margin-inline-end: .45em; border: 2px solid;
            border-radius: 3px; }
        .text { white-space: pre-wrap; overflow-wrap: anywhere; }
        span.text { display: block; }
        table { border-collapse: collapse; width: 100%; }
        th, td { text-align: start; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid var(--line); }
        thead th { border: 0; color: var(--quiet); font-weight: normal; }
        tbody th { font-weight: 600; width: 1%; min-width: 2rem; max-width: 16rem; overflow-wrap: break-word; }
        td.kind { width: 1%; white-space: nowrap; }
        td summary { padding-block: 0; }
        td a.record { display: inline; padding: 0; }
        figure { margin: 0 0 1.5rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px; max-height: 75vh; }
        figure svg { display: block; margin: auto; }
        figure a:hover rect, figure a:focus rect { stroke-width: 3px; }
        @media (max-width: 700px) {
            body { display: block; }
            nav { position: static; height: auto; border: 0; padding-bottom: .6rem; }
            main { padding: 1rem 1rem 3rem; }
            .chosen:not(.searching) nav, .searching main { display: none; }
            thead { display: none; }
            table, tbody, tr, tbody th, td, td.kind { display: block; width: auto; min-width: 0; max-width: none;
                border: 0; padding: 0; }
            tr { border-top: 1px solid var(--line); padding: .4rem 0; }
            tbody th, td.kind { display: inline-block; margin-inline-end: .6rem; }
        }
        """
}
