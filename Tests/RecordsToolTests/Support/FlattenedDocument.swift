import Foundation
import NestedRecords
import Testing

/// The IDs of the records and the links of each, and whether `nest` gives the document again.
func flattened(
    _ json: String, _ options: String = "", name: String = "shop.json",
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> (ids: [String], links: [String], report: String) {
    let folder = try ToolFolder()
    try folder.write(json + "\n", to: name)
    let run = try folder.run("records flatten \(name) \(options) --format jsonl")
    try #require(run.status == 0, "\(run)", sourceLocation: sourceLocation)
    #expect(
        try folder.output("records nest - -c", input: run.output) == json + "\n",
        sourceLocation: sourceLocation)
    let records = try run.output.split(separator: "\n").dropFirst().map {
        try ToolFolder.record(String($0))
    }
    let links = records.flatMap { record in
        record.references.filter(\.isLink).map { "\(record.id) → \($0.id)" }
    }
    return (records.map(\.id.description), links, run.errors)
}
