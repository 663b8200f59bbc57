#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The tool: looks into records, moves and checks them.
@main enum Records {
    /// The declarations that everything comes from.
    static let program = Program(
        name: "records",
        summary: "Looks into records, moves and checks them",
        version: "0.1.0",
        commands: [
            .flatten, .nest, .dump, .get, .tree, .graph, .stats, .verify, .diff, .importLines, .export, .compact,
            .completions,
        ])

    static func main() async {
        StandardStreams.secure()
        let console = Console.standard()
        Interruption.install()
        exit(await program.run(Array(CommandLine.arguments.dropFirst()), console: console).rawValue)
    }
}
