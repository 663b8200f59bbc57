import Foundation
import NestedRecords
import Testing

@testable import records

/// References as people write them in JSON: identifiers, pairs of a type and an identifier, links and pointers.
@Suite struct ReferenceGuessTests {
    // MARK: Identifiers

    private let lamps = """
        {"keepers":[{"id":1,"name":"Ira"},{"id":2,"name":"Jo"}],"lamps":[{"id":10,"ownerId":1},{"id":11,"ownerId":2}],\
        "tree":[{"id":7,"parent":null},{"id":8,"parent":7},{"id":9,"parent":7}]}
        """

    @Test func integersAreOfferedAndReferIfStated() throws {
        let guess = try flattened(lamps)
        #expect(guess.links == ["Tree/8 → Tree/7", "Tree/9 → Tree/7"])
        #expect(guess.report.contains("possible references: --refer '/lamps/[]/ownerId=Keeper'\n"))
        let stated = try flattened(lamps, "--refer ownerId=Keeper")
        #expect(stated.links == ["Lamp/10 → Keeper/1", "Lamp/11 → Keeper/2"] + guess.links)
        #expect(try flattened(lamps, "--stated-references").links == [])
    }

    @Test(arguments: [
        (
            #"{"artists":[{"ArtistId":3,"n":1},{"ArtistId":4,"n":2}],"albums":[{"AlbumId":1,"ArtistId":4},{"AlbumId":2,"ArtistId":3}]}"#,
            ["Album/1 → Artist/4", "Album/2 → Artist/3"]
        ),
        (
            #"{"users":[{"id":"u1"}],"posts":[{"id":5,"user_id":"u1"},{"id":6,"user_id":null}]}"#,
            ["Post/5 → User/u1"]
        ),
        (
            #"{"tags":[{"id":1},{"id":2}],"posts":[{"id":5,"tagIds":[2,1]},{"id":6,"tags":[1]}]}"#,
            ["Post/5 → Tag/2", "Post/5 → Tag/1", "Post/6 → Tag/1"]
        ),
        (
            #"{"addresses":[{"id":1,"x":1},{"id":2,"x":2}],"orders":[{"id":5,"billing_address_id":2}]}"#,
            ["Order/5 → Address/2"]
        ),
        (
            #"{"pages":[{"id":"p0"},{"id":"p1"}],"visits":[{"id":1,"pageref":"p0"}]}"#,
            ["Visit/1 → Page/p0"]
        ),
        (
            #"{"languages":{"de":{"n":"a","x":1},"fr":{"n":"b","x":2}},"books":[{"id":1,"language":"fr"}]}"#,
            ["Book/1 → Language/fr"]
        ),
        (
            #"{"orderedSlots":[{"id":"1","x":1},{"id":"2","x":2}],"lamps":[{"id":"l","slot":"2"}]}"#,
            ["Lamp/l → OrderedSlot/2"]
        ),
    ]) func nameUnderAKeyThatNamesItsTypeIsAReference(_ json: String, _ links: [String]) throws {
        #expect(try flattened(json).links == links)
    }

    @Test(arguments: [
        #"{"artists":[{"id":3}],"albums":[{"id":1,"artistId":3},{"id":2,"artistId":4}]}"#,
        #"{"artists":[{"id":3}],"albums":[{"id":1,"artistId":3.5}]}"#,
        #"{"artists":[{"id":3},{"id":4}],"albums":[{"id":1,"rating":3},{"id":2,"rating":4}]}"#,
        #"{"artists":[{"id":3}],"albums":[{"id":1,"artist":{"name":"x"}}]}"#,
        #"{"countries":[{"code":"DE","country":"DE"},{"code":"FR","country":"FR"}]}"#,
    ]) func otherValuesStayWhatTheyAre(_ json: String) throws {
        #expect(try flattened(json).links == [])
    }

    @Test func textsAreOfferedAsReferences() throws {
        let json =
            #"{"keepers":[{"id":"k1"},{"id":"k2"}],"lamps":[{"id":"l1","by":"k1"},{"id":"l2","by":"k2"}]}"#
        let guess = try flattened(json)
        #expect(
            guess.links == []
                && guess.report.contains("possible references: --refer '/lamps/[]/by=Keeper'\n"))
        #expect(
            try flattened(json, "--refer by=Keeper").links == [
                "Lamp/l1 → Keeper/k1", "Lamp/l2 → Keeper/k2",
            ])
    }

    @Test(arguments: ["ownerId=Tree", "name=Keeper", "ownerId='*'"])
    func statedReferenceThatLinksNothingIsAnError(_ option: String) throws {
        let folder = try ToolFolder()
        let run = try folder.run("records flatten - --refer \(option)", input: lamps)
        #expect(
            run.status == 2 && run.output == ""
                && run.errors.contains("option '--refer': no value under '"), "\(run)")
    }

    @Test(arguments: [
        (
            #"[{"id":1,"to":2},{"id":2,"to":"1"},{"id":3,"to":5},{"id":4,"to":[1,"2",null,1.5,true]}]"#, 4
        ),
        (
            #"[{"id":1,"a":{"to":"A/2"}},{"id":2,"to":1},{"id":3,"to":{"id":1}},{"id":4,"to":{"id":1,"x":2}}]"#,
            3
        ),
        (#"[{"id":"é","to":"é"},{"id":"e","to":"\u00e9"}]"#, 2),
    ]) func mixedFormsComeBack(_ json: String, _ count: Int) throws {
        #expect(try flattened(json, "--type A --refer to=A").links.count == count)
    }

    @Test func referenceThatIsSetIsWrittenInTheFormOfTheOthers() throws {
        let folder = try ToolFolder()
        _ = try folder.output(
            "records flatten - -q --refer ownerId=Keeper --into a.records", input: lamps)
        _ = try folder.output("records set a.records Lamp/10 ownerId=Keeper/2")
        #expect(
            try folder.output("records nest a.records -c")
                == lamps.replacing(#""ownerId":1"#, with: #""ownerId":2"#) + "\n")
    }

    // MARK: Types

    private let resources = """
        {"data":[{"type":"shops","id":"1","attributes":{"name":"Quay"},"relationships":{"keeper":{"data":{"type":"keepers",\
        "id":"1"}},"notes":{"data":[{"type":"notes","id":"1"},{"id":"2","type":"notes"},{"type":"notes","id":"9"}]}}}],\
        "included":[{"type":"keepers","id":"1","attributes":{"name":"Ira"}},{"type":"notes","id":"1","attributes":{"n":1}},\
        {"type":"notes","id":"2","attributes":{"n":2}}]}
        """

    @Test func discriminatorMakesTypesAndPairsAreReferences() throws {
        let guess = try flattened(resources)
        #expect(guess.ids == ["Shop/1", "Keeper/1", "Note/1", "Note/2"])
        #expect(guess.links == ["Shop/1 → Keeper/1", "Shop/1 → Note/1", "Shop/1 → Note/2"])
    }

    @Test func pairFollowsItsReference() throws {
        let change = #"sed 's|"keeper":{"data":{"$ref":"Keeper/1"|"keeper":{"data":{"$ref":"Note/1"|'"#
        let nested = try ToolFolder().output(
            "records flatten - -q --format jsonl | \(change) | records nest - -c", input: resources)
        #expect(nested.contains(#""keeper":{"data":{"type":"notes","id":"1"}}"#), "\(nested)")
    }

    @Test(arguments: [
        (
            #"[{"__typename":"Lamp","id":1,"of":{"__typename":"Lamp","id":2}},{"__typename":"Ship","id":1,"n":1}]"#,
            ["Lamp/2", "Lamp/1", "Ship/1"]
        ),
        (
            #"{"all":[{"kind":"lamp","id":1,"n":1},{"kind":"ship","id":1,"n":2}]}"#, ["Lamp/1", "Ship/1"]
        ),
        (
            #"[{"@type":"schema:Person","id":"a"},{"@type":"http://x.org/t#Place","id":"a"}]"#,
            ["Person/a", "Place/a"]
        ),
        (
            #"{"fruits":[{"id":1,"type":"Citrus","n":1},{"id":2,"type":"Berry","n":1}]}"#,
            ["Fruit/1", "Fruit/2"]
        ),
        (#"{"pets":[{"id":1,"type":"cat"},{"id":2,"type":"dog"}]}"#, ["Pet/1", "Pet/2"]),
        (
            #"{"action":"x","issue":{"id":1,"user":{"id":5,"type":"User"}},"sender":{"id":5,"type":"User"},"org":{"id":5,"type":"Team"}}"#,
            ["User/5", "Issue/1", "Team/5", "Document/shop"]
        ),
    ]) func typesAreThoseThatObjectsSay(_ json: String, _ ids: [String]) throws {
        #expect(try flattened(json).ids.sorted() == ids.sorted())
    }

    private let bundle = """
        {"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Patient","id":"1"}},{"resource":{"resourceType":\
        "Visit","id":"1","subject":{"reference":"Patient/1","display":"Ray"},"by":{"reference":"Doctor/7"}}}]}
        """

    @Test func textWithATypeIsAReference() throws {
        let guess = try flattened(bundle)
        #expect(guess.ids == ["Patient/1", "Visit/1", "Document/shop"])
        #expect(guess.links == ["Visit/1 → Patient/1"])
        #expect(
            try flattened(bundle, "--stated-references --refer reference=Patient").links == guess.links)
    }

    @Test func pointersAreReferencesAndWhatTheyPointAtAreRecords() throws {
        let json = """
            {"paths":{"/lamps":{"get":{"in":[{"$ref":"#/components/parameters/limit"}],"out":{"$ref":\
            "#/components/schemas/Lamp","text":"x"}}}},"components":{"parameters":{"limit":{"type":"integer"}},\
            "schemas":{"Lamp":{"properties":{"of":{"$ref":"#/components/schemas/Ship"}}},"Ship":{"properties":{"on":{"$ref":"#/lost/x"}}}}}}
            """
        let guess = try flattened(json)
        #expect(
            guess.links.sorted() == [
                "Path//lamps → Parameter/limit", "Path//lamps → Schema/Lamp", "Schema/Lamp → Schema/Ship",
            ])
        let defined = try flattened(
            ##"{"$defs":{"a~1b":{"n":1}},"items":{"$ref":"#/$defs/a~01b"},"k":{"$ref":"#/$defs"}}"##)
        #expect(defined.links == ["Document/shop → Definition/a~1b"])
    }

    @Test func schemaMayBeTrueAmongThoseThatPointersName() throws {
        let guess = try flattened(
            """
            {"properties":{"lamp":{"$ref":"#/definitions/Lamp"}},"definitions":{"Any":true,"Lamp":{"type":"object",\
            "patternProperties":{"^[a-z]+$":{"type":"string"}}},"Ship":{"properties":{"of":{"$ref":"#/definitions/Lamp"}}}}}
            """)
        #expect(guess.ids == ["Definition/Lamp", "Definition/Ship", "Document/shop"])
        #expect(guess.links == ["Definition/Ship → Definition/Lamp", "Document/shop → Definition/Lamp"])
    }

    @Test func namesOfLinkedDataAreReferences() throws {
        let guess = try flattened(
            """
            {"@graph":[{"@id":"ex:a","label":"A","in":{"@id":"ex:b"},"also":[{"@id":"ex:c"},{"@id":"other:x"}]},\
            {"@id":"ex:b","label":"B","in":{"@id":"other:y"}},{"@id":"ex:c","label":"C"}]}
            """)
        #expect(guess.links.sorted() == ["Graph/ex:a → Graph/ex:b", "Graph/ex:a → Graph/ex:c"])
    }

    // MARK: Identifiers in members

    private let entries = """
        {"entries":[{"sys":{"id":"e1","type":"Entry"},"fields":{"title":{"en":"Quay"},"keeper":{"en":{"sys":{"type":"Link",\
        "linkType":"Entry","id":"e2"}}}}},{"sys":{"id":"e2","type":"Entry"},"fields":{"name":{"en":"Ira"}}}]}
        """

    @Test(arguments: ["", "--id-key Entry=sys.id"]) func identifierMayBeInAMember(_ options: String)
        throws
    {
        let guess = try flattened(entries, options)
        #expect(guess.ids == ["Entry/e1", "Entry/e2"])
        #expect(guess.links == ["Entry/e1 → Entry/e2"])
    }

    @Test(arguments: [
        (
            #"{"pods":[{"metadata":{"uid":"a","name":"x"}},{"metadata":{"uid":"b","name":"x"}}]}"#, "",
            ["Pod/a", "Pod/b"]
        ),
        (
            #"{"pods":[{"a":{"b":{"c":7}}},{"a":{"b":{"c":8}}}]}"#, "--id-key Pod=a.b.c",
            ["Pod/7", "Pod/8"]
        ),
        (
            #"{"pods":[{"a.b":1,"a":{"b":3}},{"a.b":2,"a":{"b":4}}]}"#, "--id-key Pod=a.b",
            ["Pod/1", "Pod/2"]
        ),
    ]) func identifiersInMembersNameRecords(_ json: String, _ options: String, _ ids: [String]) throws {
        #expect(try flattened(json, options).ids == ids)
    }

    // MARK: Extended JSON

    @Test func extendedValuesOfMongoDBAreValues() throws {
        let json = """
            [{"_id":{"$oid":"a1"},"at":{"$date":"2024-01-05T10:00:00Z"},"n":{"$numberLong":"9007199254740993"},\
            "d":{"$numberDecimal":"12.50"},"of":{"$oid":"a2"}},{"_id":{"$oid":"a2"},"at":{"$date":"2024-01-05T10:00:00.000Z"},\
            "n":7,"d":{"$numberDecimal":"1E+3"},"of":null,"x":{"$date":{"$numberLong":"-5"}},"y":{"$date":"soon"},\
            "l":[{"$numberInt":"1"},1,{"$numberInt":"01"},{"$numberDouble":"1.0"},{"$numberDouble":"NaN"}]},{"_id":"a3"}]
            """
        let guess = try flattened(json, "--refer of=Shop")
        #expect(guess.ids == ["Shop/a1", "Shop/a2", "Shop/a3"] && guess.links == ["Shop/a1 → Shop/a2"])
        let folder = try ToolFolder()
        let lines = try folder.output("records flatten - -q --type A --format jsonl", input: json)
        let fields =
            #""at":{"$date":"2024-01-05T10:00:00Z"},"n":9007199254740993,"d":{"$map":{"$decimal":"12.50"}}"#
        #expect(
            lines.contains(#"{"id":"A/a1","fields":{"_id":"a1",\#(fields),"of":"a2"}}"#), "\(lines)")
        _ = try folder.output("records copy - a.records", input: lines)
        _ = try folder.output("records set a.records A/a1 n=5 'at=2025-01-01T00:00:00Z'")
        let nested = try folder.output("records nest a.records -c")
        #expect(
            nested.contains(#""at":{"$date":"2025-01-01T00:00:00Z"},"n":{"$numberLong":"5"}"#),
            "\(nested)")
    }

    // MARK: Parts of a file

    @Test func partOfAFileGivesTheNamesOfTheWhole() throws {
        func zone(_ id: Int, _ inner: [Int]) -> String {
            let towns = inner.map { #"{"id":\#($0),"name":"t","code":1,"boats":[]}"# }.joined(
                separator: ",")
            return #"{"id":\#(id),"name":"z","code":1,"towns":[\#(towns)]}"#
        }
        let part = try flattened(#"{"id":"b1","zones":[\#(zone(1, [7]))]}"#, name: "bay-small.json")
        let whole = try flattened(
            #"{"id":"b1","zones":[\#(zone(1, [7, 1])),\#(zone(2, [2]))]}"#, name: "bay.json")
        #expect(part.ids == ["Town/7", "Zone/1", "Bay/b1"])
        #expect(Set(part.ids).isSubset(of: whole.ids) && whole.ids.count == 6)
    }

    @Test(arguments: [
        ("orders-2024-01-05", "Order"), ("orders_v2", "Order"), ("orders.sample", "Order"),
        ("small", "Small"),
        ("2024", nil), ("world-large-copy", "World"),
    ]) func nameOfAFileIsThatOfTheWhole(_ name: String, _ type: String?) {
        #expect(TypeName.type(ofFile: name) == type)
    }
}
