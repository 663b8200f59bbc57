import Foundation
import NestedRecords
import Testing

@testable import records

@Suite struct BrowserPageTests {
    /// The data of a page, as a browser reads it.
    private struct Data {
        let records: [[Any]]
        let colours: [String: Int]
        let text: String

        init(_ page: String) throws {
            let start = try #require(page.range(of: #"<script id="data" type="application/json">"#))
            let end = try #require(page[start.upperBound...].range(of: "</script>"))
            text = String(page[start.upperBound..<end.lowerBound])
            let object = try JSONSerialization.jsonObject(with: Foundation.Data(text.utf8))
            let whole = try #require(object as? [String: [[Any]]])
            records = try #require(whole["records"])
            let pairs = try #require(whole["colours"]).map { ($0[0] as? String ?? "", $0[1] as? Int ?? -1) }
            colours = Dictionary(uniqueKeysWithValues: pairs)
        }

        var ids: [String] { records.compactMap { $0.first as? String } }
    }

    private func page(_ lines: [String], title: String = "a.jsonl", mostBytes: Int = 1 << 20) throws -> String {
        var page = BrowserPage(isSummary: false, mostBytes: mostBytes)
        for line in lines { try page.add(ToolFolder.record(line)) }
        var bytes: [UInt8] = []
        try page.write(titled: title) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func pageNeedsNoOtherFile() throws {
        let folder = try ToolFolder()
        try folder.write(SchoolRecords.lines, to: "school.jsonl")
        let page = try folder.output("records page school.jsonl")
        let other = page.replacing("http://www.w3.org/2000/svg", with: "")
        for part in ["http:", "https:", "src=", "@import", "url(h", "<link", "fetch("] {
            #expect(!other.contains(part), "\(part)")
        }
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("<title>school.jsonl</title>"))
        for colour in PictureColours.palette.indices {
            #expect(page.components(separatedBy: ".t\(colour).swatch {").count == 3)
        }
        #expect(!page.contains("{{"))
        // Texts of records become text nodes.
        #expect(!page.contains("innerHTML") && !page.contains("insertAdjacentHTML"))
        let data = try Data(page)
        #expect(data.ids == ["Person/ada", "Person/bo", "House/north", "School/hilltop"])
        #expect(data.colours == ["House": 10, "Person": 15, "School": 11])
    }

    @Test(
        arguments: [
            "</script><script>alert(1)</script>", "<!--<script>", "]]>&amp;&lt;", #"quote " and \ "#,
            "a\u{2028}b\u{2029}c\u{202e}d\u{0}", "日本語の記録", "{{data}}{{title}}", String(repeating: "x", count: 10_240),
        ])
    func hostileTextStaysText(_ text: String) throws {
        let record = try Record(id: Record.ID("T/1"), fields: ["text": .string(text)])
        var page = BrowserPage(isSummary: false)
        try page.add(record)
        var bytes: [UInt8] = []
        try page.write(titled: text) { bytes += $0 }
        let whole = String(decoding: bytes, as: UTF8.self)
        let data = try Data(whole)
        #expect(data.records[0][2] as? String == text)
        #expect(!data.text.utf8.contains(UInt8(ascii: "<")))
        #expect(data.text.unicodeScalars.allSatisfy { !VisibleText.isEscaped($0) })
        #expect(whole.components(separatedBy: "<script").count == 3)
        #expect(whole.components(separatedBy: "</script").count == 3)
        #expect(whole.components(separatedBy: "<!--").count == 1)
    }

    @Test func hostileIDsAreLinksInTheDrawing() throws {
        let page = try page([#"{"id":"T/\"><b>%é/1","fields":{}}"#])
        #expect(page.contains(##"<a href="#r/T%2F%22%3E%3Cb%3E%25%C3%A9%2F1">"##))
        #expect(!page.contains("<b>"))
    }

    @Test func valuesKeepTheirKindsAndDigits() throws {
        let fields = #"""
            {"2":9223372036854775807,"1":-9007199254740992,"d":{"$double":2},"n":null,"b":true,"t":{"$date":\#
            "2001-02-03T04:05:06.789Z"},"y":{"$bytes":"aGk="},"p":{"$location":"1.5;2.5"},"m":{"z":[],"a":[1,[{}]]},\#
            "r":{"$ref":"T/9","link":true,"action":"deleteSelf"}}
            """#
        let data = try Data(page([#"{"id":"T/1","fields":\#(fields)}"#]))
        #expect(
            data.text == #"""
                {"records":[["T/1","2",["integer","9223372036854775807"],"1",-9007199254740992,"d",["number","2.0"],\#
                "n",null,"b",true,"t",["date","2001-02-03T04:05:06.789Z"],"y",["bytes","aGk="],\#
                "p",["location","1.5;2.5"],"m",["map","z",["list"],"a",["list",1,["list",["map"]]]],\#
                "r",["reference","T/9","link","deleteSelf"]]],"colours":[["T",15]]}
                """#)
    }

    @Test func deeplyNestedValueNeedsNoStack() throws {
        let list = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        let lists = String(repeating: #"["list","#, count: 899) + #"["list"]"#
        #expect(try page([#"{"id":"T/1","fields":{"a":\#(list)}}"#]).contains(lists))
    }

    @Test func manyRecordsAreAllInThePage() throws {
        let folder = try ToolFolder()
        let lines = (0..<450).map { #"{"id":"A/\#($0)","fields":{"next":{"$ref":"B/\#($0 + 1)"}}}"# }
        try folder.write(lines, to: "a.jsonl")
        let page = try folder.output("records page a.jsonl")
        #expect(try Data(page).ids == (0..<450).map { "A/\($0)" })
        // The drawing is that of types, whose boxes lead to their records.
        #expect(page.contains(##"<a href="#t/A">"##))
        #expect(page.contains("450 records</text>"))
    }

    @Test func pageBelowARootHasWhatItReaches() throws {
        let folder = try ToolFolder()
        try folder.write(
            (1...4).map { #"{"id":"A/\#($0)","fields":{"next":{"$ref":"A/\#($0 + 1)"},"up":{"$ref":"A/1"}}}"# },
            to: "a.jsonl")
        let page = try folder.output("records page a.jsonl A/2 --depth 1")
        #expect(page.contains("<title>A/2 in a.jsonl</title>"))
        #expect(
            try Data(page).text == """
                {"records":[["A/2","next",["reference","A/3"],"up",["reference","A/1"]],\
                ["A/3","next",["reference","A/4","outside"],"up",["reference","A/1"]],\
                ["A/1","next",["reference","A/2"],"up",["reference","A/1"]]],"colours":[["A",0]]}
                """)
    }

    @Test func recordsThatAreTooLargeAreAnError() throws {
        let line = #"{"id":"A/1","fields":{"text":"\#(String(repeating: "x", count: 1_000))"}}"#
        #expect(try Data(page([line], mostBytes: 1_100)).ids == ["A/1"])
        #expect(throws: PageTooLarge(mostBytes: 1_000)) { try page([line], mostBytes: 1_000) }
        #expect(
            "\(PageTooLarge(mostBytes: BrowserPage.mostBytes))"
                == """
                the records take more than 67,108,864 bytes, which a browser cannot show in one page; give a ROOT-ID \
                with a --depth, or choose another --format
                """)
    }

    @Test func repeatedRecordIsInThePageOnceOrAnError() throws {
        let lines = [#"{"id":"A/1","fields":{"n":1}}"#, #"{"id":"A/1","fields":{"n":2}}"#]
        #expect(try Data(page([lines[0], lines[0]])).ids == ["A/1"])
        #expect(throws: RepeatedRecord.self) { try page(lines) }
    }

    @Test func pageOfNothingHasNoRecords() throws {
        #expect(try Data(page([])).text == #"{"records":[],"colours":[]}"#)
    }

    @Test func tooManyTypesHaveNoDrawing() throws {
        let page = try page((0...Picture.largestDrawing).map { #"{"id":"T\#($0)/1","fields":{}}"# })
        #expect(page.contains("<p>a picture of 1,001 boxes cannot be read"))
        #expect(try Data(page).ids.count == 1_001)
    }
}
