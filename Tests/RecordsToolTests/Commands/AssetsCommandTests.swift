import Foundation
@_spi(Engines) import NestedRecords
import NestedRecordsFile
import Testing

@testable import records

@Suite struct AssetsCommandTests {
    private static let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    /// A file with the bytes whose SHA-256, as `sha256sum` prints it, is ``hash``.
    private func folder() throws -> ToolFolder {
        let folder = try ToolFolder()
        try folder.write("hello", to: "note.txt")
        return folder
    }

    @Test(arguments: ["mine.txt", "a.records", "link"])
    func contentIsWrittenToANewFileAlone(_ target: String) throws {
        let folder = try folder()
        _ = try folder.output("records assets add a.records note.txt; echo mine > mine.txt; ln -s mine.txt link")
        let run = try folder.run("cp \(target) before; records assets get a.records 2cf2 \(target)")
        #expect(run.status == 1 && run.errors.contains("\(target): exists; name a new file"), "\(run)")
        #expect(try folder.run("cmp \(target) before").status == 0)
    }

    @Test(arguments: names)
    func assetsAreAddedListedReadAndCollected(_ name: String) throws {
        let folder = try folder()
        let added = try folder.output("records assets add \(name) note.txt --content-type text/plain")
        let members = #""hash":"\#(Self.hash)","size":5,"contentType":"text/plain","fileName":"note.txt""#
        #expect(added == #"{"$asset":{\#(members)}}"# + "\n")
        let line = #"{"id":"Note/1","fields":{"file":\#(added.dropLast())}}"#
        #expect(try folder.run("records copy - \(name)", input: line + "\n").status == 0)
        let list = try folder.output("records assets list \(name)").split(separator: "\n")
        #expect(list.count == 2)
        #expect(list[1].hasPrefix(Self.hash) && list[1].hasSuffix("1"))
        #expect(try folder.output("records assets get \(name) 2cf2 -") == "hello")
        _ = try folder.output("records assets get \(name) 2cf2 copy.txt")
        #expect(try folder.text(of: "copy.txt") == "hello")
        #expect(
            try folder.output("records assets collect \(name) --older-than 0")
                == "removed 0 contents of 0 bytes, and 0 unfinished uploads\n")
        #expect(try folder.output("records ls \(name) --sizes").contains("bytes of assets"))
        #expect(try folder.output("records get \(name) Note/1").contains(Self.hash))
        #expect(try folder.run("records verify \(name)").status == 0)
        #expect(try folder.run("records delete \(name) Note/1 --yes --no-undo").status == 0)
        #expect(
            try folder.output("sleep 0.01; records assets collect \(name) --older-than 0")
                == "removed 1 content of 5 bytes, and 0 unfinished uploads\n")
        let run = try folder.run("records assets get \(name) 2cf2 -")
        #expect(run.status == 1 && run.errors.contains("has no asset whose hash begins with 2cf2"))
    }

    private static let names = {
        #if SQLite
        ["a.records", "a.sqlite"]
        #else
        ["a.records"]
        #endif
    }()

    @Test(arguments: names)
    func contentsAreExportedAndImportedAsFiles(_ name: String) throws {
        let folder = try folder()
        let added = try folder.output("records assets add from.records note.txt").dropLast()
        let lines = (1...2).map { #"{"id":"Note/\#($0)","fields":{"files":[\#(added)]}}"# + "\n" }.joined()
        #expect(try folder.run("records copy - from.records", input: lines).status == 0)
        #expect(try folder.run("records copy from.records - --assets files > lines.jsonl").status == 0)
        #expect(try folder.text(of: "files/\(Self.hash)") == "hello")
        #expect(try !folder.text(of: "lines.jsonl").contains("NestedRecords."))

        let refused = try folder.run("records copy lines.jsonl \(name)")
        #expect(refused.status == 1 && refused.errors.contains("Note/1") && refused.errors.contains(Self.hash))
        #expect(try folder.run("records copy lines.jsonl \(name) --assets files").status == 0)
        #expect(try folder.output("records assets get \(name) 2cf2 -") == "hello")
        #expect(try folder.run("records diff from.records \(name)").status == 0)

        try folder.write("HELLO", to: "files/\(Self.hash)")
        let other = try folder.run("records copy lines.jsonl other.records --assets files")
        #expect(other.status == 1 && other.errors.contains("files/\(Self.hash)"))
        #expect(other.errors.contains("3733cd977ff8eb18b987357e22ced99f46097f31ecb239e878ae63760e83e4d5"))
    }

    @Test func exportNamesTheRecordOfAContentThatIsMissing() async throws {
        let folder = try ToolFolder()
        let database = try folder.database("a.records")
        try await database.assets?.addRemoteContent(Self.hash)
        let record = try ToolFolder.record(
            #"{"id":"Note/1","fields":{"file":{"$asset":{"hash":"\#(Self.hash)","size":5}}}}"#)
        try await database.commit(RecordBatch(saving: [record]))
        try await database.close()
        let run = try folder.run("records copy a.records - --assets files")
        #expect(run.status == 1 && run.errors.contains("Note/1") && run.errors.contains(Self.hash))
    }

    @Test(arguments: names)
    func copyTakesTheContentsAlong(_ name: String) throws {
        let folder = try folder()
        let added = try folder.output("records assets add from.records note.txt").dropLast()
        let line = #"{"id":"Note/1","fields":{"file":\#(added)}}"#
        #expect(try folder.run("records copy - from.records", input: line + "\n").status == 0)
        #expect(try folder.run("records copy from.records \(name)").status == 0)
        #expect(try folder.output("records assets get \(name) 2cf2 -") == "hello")
        #expect(try folder.run("records diff from.records \(name)").status == 0)
        #expect(try folder.run("records copy from.records \(name)").status == 0)
    }

    @Test func recordWithoutAContentIsRefused() throws {
        let folder = try folder()
        let line = #"{"id":"Note/1","fields":{"file":{"$asset":{"hash":"\#(Self.hash)","size":5}}}}"#
        let run = try folder.run("records copy - a.records", input: line + "\n")
        #expect(run.status == 1 && run.errors.contains(Self.hash))
    }

    /// Such a record would name a content without bytes.
    @Test func importRefusesTheRecordOfAContent() throws {
        let folder = try folder()
        let line = #"{"id":"NestedRecords.Asset/\#(Self.hash)","fields":{"size":1}}"#
        let run = try folder.run("records copy - a.records", input: line + "\n")
        #expect(run.status != 0 && run.errors.contains("NestedRecords.Asset/\(Self.hash)"), "\(run.errors)")
    }

    @Test func damagedAndMissingContentsAreFoundByVerify() throws {
        let folder = try folder()
        let added = try folder.output("records assets add a.records note.txt").dropLast()
        let line = #"{"id":"Note/1","fields":{"file":\#(added)}}"#
        #expect(try folder.run("records copy - a.records", input: line + "\n").status == 0)
        _ = try folder.output("printf J | dd of=$(find a.records.assets -type f) conv=notrunc 2>/dev/null")
        let run = try folder.run("records verify a.records")
        #expect(run.status == 1 && run.output.contains("the content of the asset \(Self.hash) is damaged"))
        #expect(try folder.run("records assets get a.records 2cf2 -").status == 1)
        // The same bytes mend it.
        _ = try folder.output("records assets add a.records note.txt")
        #expect(try folder.run("records verify a.records").status == 0)
        _ = try folder.output("find a.records.assets -type f -delete")
        let missing = try folder.run("records verify a.records")
        #expect(missing.status == 1 && missing.output.contains("the content of the asset \(Self.hash) is damaged"))
    }

    @Test func compactionKeepsContents() throws {
        let folder = try folder()
        let added = try folder.output("records assets add a.records note.txt").dropLast()
        for number in 1...20 {
            let line = #"{"id":"Note/1","fields":{"number":\#(number),"file":\#(added)}}"#
            #expect(try folder.run("records copy - a.records --overwrite", input: line + "\n").status == 0)
        }
        #expect(try folder.run("records compact a.records").status == 0)
        #expect(try folder.output("records assets get a.records 2cf2 -") == "hello")
        #expect(try folder.run("records verify a.records").status == 0)
    }

    @Test func actionsTakeTheirOwnArgumentsAlone() throws {
        let folder = try folder()
        for (line, reason) in [
            ("list a.records x", "'list' takes only the database"), ("get a.records", "'get' needs"),
            ("add a.records", "'add' needs a file"), ("burn a.records", "ACTION is list, get, add or collect"),
            ("list a.records --older-than 5", "option '--older-than' is for 'collect'"),
            ("collect a.records --older-than x", "is a number of seconds"),
            ("collect a.records --content-type x", "option '--content-type' is for 'add'"),
        ] {
            let run = try folder.run("records assets \(line)")
            #expect(run.status == 2 && run.errors.contains(reason), "\(line): \(run.errors)")
        }
    }

    @Test(arguments: [false, true]) func contentsOfADamagedFileAreSalvaged(_ isContentDamaged: Bool) throws {
        let folder = try ToolFolder()
        try folder.write("a picture", to: "picture.png")
        let value =
            try folder.output("records copy - a.records < /dev/null; records assets add a.records picture.png")
            .split(separator: "\n").last.map(String.init) ?? ""
        let lines = (1...2).map { #"{"id":"A/\#($0)","fields":{"picture":\#(value),"text":"text \#($0)"}}"# + "\n" }
        _ = try folder.output("records copy - a.records", input: lines.joined())
        let file = folder.url.appendingPathComponent("a.records")
        var bytes = try Data(contentsOf: file)
        bytes[try #require(bytes.firstRange(of: Data("text 2".utf8))).lowerBound] ^= 1
        try bytes.write(to: file)
        if isContentDamaged {
            _ = try folder.run("for f in a.records.assets/*/*; do printf x | dd of=$f conv=notrunc; done")
        }
        let run = try folder.run("records copy a.records - --salvage --assets pictures > saved.jsonl")
        #expect(run.status == 1 && run.errors.contains("A/2"))
        #expect(run.errors.contains("the content of an asset of A/1 is lost: ") == isContentDamaged, "\(run.errors)")
        let copy = try folder.run("records copy - new.records --assets pictures < saved.jsonl")
        #expect(copy.status == (isContentDamaged ? 1 : 0), "\(copy)")
        if isContentDamaged { return }
        let hash = try #require(value.split(separator: "\"").first { $0.utf8.count == 64 })
        #expect(try folder.output("records assets get new.records \(hash) -") == "a picture")
    }
}
