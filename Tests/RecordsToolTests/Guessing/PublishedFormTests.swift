import Foundation
import NestedRecords
import Testing

@testable import records

/// Types and references in forms that are published: schemas, discovery documents and fixtures.
@Suite struct PublishedFormTests {
    // MARK: Schemas

    @Test func pointersLeadIntoDefinitionsOfDefinitions() throws {
        let guess = try flattened(
            ##"""
            {"definitions":{"Fleet":{"definitions":{"Ship":{"type":"x"},"Crew":{"type":"y"}},"items":{"$ref":\##
            "#/definitions/Fleet/definitions/Ship"}},"Port":{"type":"z"}},"items":{"$ref":"#/definitions/Port"}}
            """##)
        #expect(
            guess.ids == ["Definition/Ship", "Definition/Crew", "Definition/Fleet", "Definition/Port", "Document/shop"])
        #expect(guess.links == ["Definition/Fleet → Definition/Ship", "Document/shop → Definition/Port"])
    }

    @Test func definitionThatIsAGroupOfDefinitionsIsNone() throws {
        let guess = try flattened(
            ##"{"definitions":{"misc":{"a":{"n":1},"b":{"n":2}},"c":{"n":1,"of":{"$ref":"#/definitions/misc/a"}},"d":{"of":{"$ref":"#/definitions/c"}}}}"##
        )
        #expect(guess.ids == ["Misc/a", "Misc/b", "Definition/c", "Definition/d"])
        #expect(guess.links == ["Definition/c → Misc/a", "Definition/d → Definition/c"])
    }

    @Test func innerDefinitionWithTheNameOfAnOuterOneIsOfATypeOfItsOwn() throws {
        let guess = try flattened(
            ##"""
            {"$defs":{"Ship":{"$defs":{"Ship":{"type":"x"}},"items":{"$ref":"#/$defs/Ship/$defs/Ship"}},\##
            "Port":{"type":"z"}},"items":{"$ref":"#/$defs/Ship"}}
            """##)
        #expect(guess.ids == ["InnerDefinition/Ship", "Definition/Ship", "Definition/Port", "Document/shop"])
        #expect(guess.links == ["Definition/Ship → InnerDefinition/Ship", "Document/shop → Definition/Ship"])
    }

    @Test(arguments: [
        (##"{"$id":"http://x.org/s","$defs":{"A":{"n":1}},"k":{"$ref":"http://x.org/s#/$defs/A"}}"##, "A"),
        (##"{"definitions":{"A":{"n":1}},"k":{"$ref":"#definitions/A"}}"##, "A"),
        (##"{"tests":[{"schema":{"$defs":{"A":{"n":1}},"k":{"$ref":"#/$defs/A"}}}]}"##, "A"),
        (##"{"$defs":{"A":{"n":1,"$anchor":"a"}},"k":{"$ref":"#a"}}"##, "A"),
        (##"{"$defs":{"A B":{"n":1}},"k":{"$ref":"#/$defs/A%20B","text":"x"}}"##, "A B"),
    ]) func pointersAreReferencesInAllTheirSpellings(_ json: String, _ name: String) throws {
        #expect(try flattened(json).links == ["Document/shop → Definition/\(name)"])
    }

    @Test func schemaMayReferToItself() throws {
        let guess = try flattened(
            ##"{"definitions":{"list":{"items":{"$ref":"#"}}},"all":{"$ref":"#/definitions/list"}}"##)
        #expect(guess.links.sorted() == ["Definition/list → Document/shop", "Document/shop → Definition/list"])
    }

    @Test func definitionThatOnlyLeadsToAnotherIsADefinition() throws {
        let guess = try flattened(
            ##"{"definitions":{"A":{"n":1},"B":{"$ref":"#/definitions/A"}},"k":{"$ref":"#/definitions/B"}}"##)
        #expect(guess.ids == ["Definition/A", "Definition/B", "Document/shop"])
        #expect(guess.links == ["Definition/B → Definition/A", "Document/shop → Definition/B"])
    }

    @Test func pointerToAnotherDocumentStaysAString() throws {
        #expect(
            try flattened(
                ##"{"$defs":{"A":{"n":1}},"k":{"$ref":"b.json#/$defs/A"},"l":{"$ref":"A"},"m":{"$ref":"#/$defs/B"}}"##
            )
            .links == [])
    }

    @Test func defaultsOfASchemaAreNotRecords() throws {
        let json =
            ##"{"properties":{"layout":{"type":"object","default":{"A b":{"x":1},"C d":{"x":2},"E f":{"x":3}}}}}"##
        #expect(try flattened(json).ids == ["Document/shop"])
    }

    @Test func pointersToManyEnclosingObjectsTakeLinearTime() throws {
        let inner = (0..<20_000).map { ##"{"$ref":"#/lost/x\##($0)"}"## }.joined(separator: ",")
        let json = String(repeating: ##"{"a":"##, count: 150) + "[\(inner)]" + String(repeating: "}", count: 150)
        let tree = try JSONTree(Array(json.utf8))
        let time = ContinuousClock().measure { #expect(Pointers(in: tree).targets.isEmpty) }
        #expect(time < .seconds(20))
    }

    // MARK: Discovery documents

    @Test func referenceMayBeABareName() throws {
        let guess = try flattened(
            ##"""
            {"auth":{"oauth2":{"scopes":{"https://x.org/read":{"description":"Read."}}}},"resources":{"films":{"methods":{"get":\##
            {"id":"cinema.films.get","scopes":["https://x.org/read"],"response":{"$ref":"Film"}}}}},"schemas":{"Film":{"id":\##
            "Film","type":"object","properties":{"maker":{"$ref":"Maker","description":"m"}}},"Maker":{"id":"Maker","type":"object"}}}
            """##)
        #expect(guess.ids.contains("Method/get") && guess.ids.contains("Schema/Film"))
        #expect(
            guess.links == [
                "Method/get → Scope/https://x.org/read", "Method/get → Schema/Film", "Schema/Film → Schema/Maker",
            ])
    }

    @Test func objectsOfAGraphHaveTheirTypesAndReferToEachOther() throws {
        let guess = try flattened(
            ##"""
            {"@graph":[{"type":"software_File","spdxId":"https://x.org/1","name":"a"},{"type":"Person","spdxId":"https://x.org/2"},\##
            {"type":"Relationship","spdxId":"https://x.org/3","from":"https://x.org/1","to":["https://x.org/2"]},\##
            {"type":"Relationship","spdxId":"https://x.org/4","from":"https://x.org/2","to":["https://x.org/1"]}]}
            """##)
        #expect(
            guess.ids == [
                "SoftwareFile/https://x.org/1", "Person/https://x.org/2", "Relationship/https://x.org/3",
                "Relationship/https://x.org/4",
            ])
        #expect(guess.links.count == 4)
    }

    @Test func resourcesOfResourcesAreRecordsAtAllLevels() throws {
        let guess = try flattened(
            ##"""
            {"resources":{"projects":{"resources":{"places":{"methods":{"get":{"n":1}},"resources":{"nodes":{"methods":\##
            {"list":{"n":2}},"deprecated":true},"tasks":{"methods":{"list":{"n":2}},"deprecated":true}}}}}}}
            """##)
        #expect(
            guess.ids.filter { $0.hasPrefix("Resource/") }
                == ["Resource/nodes", "Resource/tasks", "Resource/places", "Resource/projects"])
    }

    @Test func dependenciesOfPropertiesInASchemaAreNotRecords() throws {
        let json = #"{"properties":{"a":{"n":1}},"dependencies":{"x":{"allOf":1},"y":{"allOf":1},"z":{"allOf":2}}}"#
        #expect(try flattened(json).ids == ["Document/shop"])
    }

    // MARK: Services

    @Test func operationsHaveTheirIdentifiersAndParametersNearTheRootTheirNames() throws {
        let guess = try flattened(
            ##"""
            {"parameters":{"key":{"type":"string","in":"query"},"alt":{"type":"string","in":"query"}},"paths":{"/a":{"get":\##
            {"operationId":"getA","n":1},"put":{"operationId":"putA","n":2}},"/b":{"get":{"operationId":"getB","n":3,\##
            "parameters":{"key":{"type":"integer","in":"path"},"other":{"type":"string","in":"path"}}}},"/c":{"post":\##
            {"operationId":"postC","n":3}},"/d":{"delete":{"operationId":"deleteD","n":3}}}}
            """##)
        #expect(Set(guess.ids).isSuperset(of: ["Operation/getA", "Operation/putA", "Operation/getB"]))
        #expect(
            Set(guess.ids).isSuperset(of: ["Parameter/key", "Parameter/alt"]) && !guess.ids.contains("Parameter/other"))
    }

    @Test func termsOfAContextAreNotRecords() throws {
        let terms = (0..<20).map {
            #""term\#($0)":{"@id":"x:t\#($0)","@type":"\#($0 % 2 == 0 ? "@vocab" : "xsd:string")"}"#
        }
        let scoped = #""scoped":{"@id":"x:s","@type":"@vocab","@context":{"@vocab":"x:"}}"#
        #expect(
            try flattened(#"{"x":"http://x.org/",\#(scoped),\#(terms.joined(separator: ","))}"#).ids == [
                "Document/shop"
            ])
    }

    // MARK: Fixtures

    private let fixture = """
        [{"model":"yard.crew","pk":3,"fields":{"name":"A"}},{"model":"yard.ship","pk":1,"fields":{"crew":3,"owner":null}},\
        {"model":"yard.ship","pk":2,"fields":{"crew":null,"parent":1}},{"fields":{},"model":"yard.log"}]
        """

    @Test func fixtureHasTheTypesOfItsModels() throws {
        let guess = try flattened(fixture)
        #expect(guess.ids == ["Crew/3", "Ship/1", "Ship/2", "Log/4"])
        #expect(guess.links == ["Ship/1 → Crew/3", "Ship/2 → Ship/1"])
    }

    @Test func fixtureOfManyModelsHasTheTypesOfAll() throws {
        let models = (0..<20).map { #"{"model":"yard.m\#($0)x","pk":\#($0),"fields":{"field\#($0)":1}}"# }
        let guess = try flattened("[" + models.joined(separator: ",") + "]")
        #expect(guess.ids == (0..<20).map { "M\($0)x/\($0)" })
    }

    @Test func modelsOfOneNameInTwoApplicationsAreTwoTypes() throws {
        let guess = try flattened(
            #"[{"model":"a.ship","pk":1,"fields":{"n":1}},{"model":"b.ship","pk":1,"fields":{"n":2}}]"#)
        #expect(guess.ids == ["AShip/1", "BShip/1"])
    }

    @Test func fieldOfAFixtureMayHaveTheEndOfAModel() throws {
        let guess = try flattened(
            #"[{"model":"s.productimage","pk":2,"fields":{"n":1}},{"model":"s.lamp","pk":1,"fields":{"image":2}}]"#)
        #expect(guess.links == ["Lamp/1 → Productimage/2"])
    }

    @Test func modelWithoutFieldsGivesNoTypes() throws {
        #expect(try flattened(#"[{"model":"t.x","id":1},{"model":"t.y","id":2}]"#).ids == ["Shop/1", "Shop/2"])
    }

    // MARK: Collections

    @Test(arguments: [
        (
            #"{"a.js":{"file":"x"},"__b.js":{"file":"y"},"c.js":{"file":"z"}}"#,
            ["Shop/a.js", "Shop/__b.js", "Shop/c.js"]
        ),
        (
            #"{"merge":{"pages":{"GetA":{"keys":["a"]},"GetB":{"keys":["b"]}}}}"#,
            ["Page/GetA", "Page/GetB"]
        ),
        (#"{"menus":{"main":[{"id":"a","n":1},{"id":"b","n":2}]}}"#, ["Menu/a", "Menu/b"]),
        (#"{"a":1,"rule":{"and":[{"x":1,"y":1},{"x":2,"y":2}]}}"#, ["Document/shop"]),
        (#"{"metadata":{"id":"M1","name":"n"},"rule":{"x":1}}"#, ["Document/shop"]),
        (#"[{"id":1,"type":"True","n":1},{"id":2,"type":"False","m":1}]"#, ["Shop/1", "Shop/2"]),
        (#"{"name":"x","requires":{"uuid":"^3.3.2","yargs":"1.0"}}"#, ["Shop/x"]),
        (#"{"@class":"Crystal","id":"c","n":1}"#, ["Crystal/c"]),
        (
            #"{"parameters":{"$.fields":{"n":1},"a/b":{"n":2},"$meta":{"n":3}}}"#,
            ["Parameter/$.fields", "Parameter/a/b", "Document/shop"]
        ),
        (#"{"wells":{"A1":{"x":1,"y":2}}}"#, ["Well/A1"]),
        (
            #"{"shapes":{"Page":{"type":"x","n":1},"__string":{"type":"y","n":2},"Line":{"type":"z","n":3},"__note":{"by":1}}}"#,
            ["Shape/Page", "Shape/__string", "Shape/Line", "Document/shop"]
        ),
        (
            #"{"a":{"parameters":{"Region":{"type":"String","n":1},"Zone":{"type":"String","n":2},"UseIt":{"type":"Boolean","of":1}}}}"#,
            ["Parameter/Region", "Parameter/Zone", "Parameter/UseIt"]
        ),
        (#"{"table":{"FIELD":[{"_name":"a","n":1},{"_name":"b","n":2}]}}"#, ["Field/a", "Field/b"]),
        (#"{"layout":{"xaxis":{"title":1},"yaxis":{"title":1},"font":{"size":1}},"n":1}"#, ["Document/shop"]),
        (#"{"enums":{"StateEnum":{"base":"long","size":4}}}"#, ["Enum/StateEnum"]),
        (
            #"{"cars":{"a/1":{"x":1},"b/2":{"x":2}},"boats":{"a/1":{"x":3},"c/2":{"x":2}},"enums":{},"head":{"n":1}}"#,
            ["Car/a/1", "Car/b/2", "Boat/a/1", "Boat/c/2", "Document/shop"]
        ),
        (
            #"{"layers":[{"name":"g","n":1,"attributes":{"id":"x"}},{"name":"g","n":2,"attributes":{"id":"y"}}]}"#,
            ["Layer/1", "Layer/2"]
        ),
        (#"{"a":{"templates":[{"i18n":{"x":1}},{"text":{"x":1}}]}}"#, ["Document/shop"]),
        (
            #"{"a":{"entities":{"set":{"up":{"aspect":"u","n":1}},"job":{"in":{"aspect":"i","n":1}},"task":{"on":{"aspect":"o","n":1}},"run":{"by":{"aspect":"b","n":1}},"host":{"at":{"aspect":"a","n":1},"of":{"aspect":"o","n":1}}}}}"#,
            [
                "EntityEntry/up", "Entity/set", "EntityEntry/in", "Entity/job", "EntityEntry/on", "Entity/task",
                "EntityEntry/by", "Entity/run", "EntityEntry/at", "EntityEntry/of", "Entity/host",
            ]
        ),
    ]) func collectionsHaveTheirTypes(_ json: String, _ ids: [String]) throws {
        #expect(try flattened(json).ids.sorted() == ids.sorted())
    }

    @Test func numberedObjectsAreEntriesAlsoBesideAListAndACount() throws {
        let rows = (1...20).map { #""\#($0)":{"name":"r\#($0)","size":\#($0)}"# }.joined(separator: ",")
        let ids = try flattened(#"{\#(rows),"ids":[1,2],"next":21}"#).ids
        #expect(Set(ids) == Set((1...20).map { "Shop/\($0)" } + ["Document/shop"]))
    }

    @Test(arguments: [
        (
            #"[{"opcode":1,"in":[{"name":"to","n":1},{"name":"of","n":1}]},{"opcode":2,"in":[{"name":"to","n":1},{"name":"of","n":1}]}]"#,
            ["Shop/1", "Shop/2"]
        ),
        (
            #"[{"opcode":1,"by":[{"name":"Ada B","n":1},{"name":"Bo C","n":1}]},{"opcode":2,"by":[{"name":"Ada B","n":1},{"name":"Bo C","n":1}]}]"#,
            ["By/Ada B", "By/Bo C", "Shop/1", "Shop/2"]
        ),
        (
            #"{"steps":{"x/1":{"has":{"a/1":{"n":{"k":1}}},"n":1},"x/2":{"has":{"a/1":{"n":{"k":1,"l":2}}},"n":2}}}"#,
            ["Step/x/1", "Step/x/2"]
        ),
        (
            #"{"books":[{"id":1,"by":{"id":7,"name":"a"}}],"read":[{"id":1,"by":{"id":7}}]}"#, ["By/7", "Book/1"]
        ),
        (
            #"[{"category":"x","kinds":[{"kind":"In","a":1},{"kind":"Out","b":1},{"kind":"Up","c":1},{"kind":"Down","d":1}]}]"#,
            ["Kind/In", "Kind/Out", "Kind/Up", "Kind/Down", "Shop/1"]
        ),
    ]) func equalPartsAreSharedOnlyIfTheyAreThings(_ json: String, _ ids: [String]) throws {
        #expect(try flattened(json).ids == ids)
    }

    @Test func entriesOfEntriesAreRecords() throws {
        let entries = (0..<6).map {
            #""g.\#($0)":{"d.\#($0)":{"url":"u","n":1},"e.\#($0)":{"url":"v","n":2},"f.\#($0)":{"url":"w","n":3}}"#
        }
        let ids = try flattened("{" + entries.joined(separator: ",") + "}").ids
        #expect(ids.contains("ShopEntry/d.0") && ids.contains("Shop/g.3") && ids.count == 24)
    }

    @Test func stringsThatAreHardlyNamesByChanceAreReferences() throws {
        let files = ["a.js", "bb.js", "cccc.js", "dddd.js"].map { #""lib/\#($0)":{"file":"x"}"# }.joined(separator: ",")
        let guess = try flattened(
            #"{"files":{\#(files)},"uses":[{"id":1,"of":["lib/cccc.js","lib/dddd.js"]},{"id":2,"of":["lib/cccc.js"]}]}"#
        )
        #expect(guess.links == ["Use/1 → File/lib/cccc.js", "Use/1 → File/lib/dddd.js", "Use/2 → File/lib/cccc.js"])
        let terms = "abcdef".map { #""\#($0)":{"label":"x","wider":["\#($0 < "d" ? $0 : "d")"]}"# }.joined(
            separator: ",")
        #expect(try flattened(#"{"terms":{\#(terms)}}"#).links.count == 6)
        let old = "abcdef".map { #""\#($0)":{"label":"x"},"old \#($0)":{"label":"y","instead":"\#($0)"}"# }
        #expect(try flattened(#"{"terms":{\#(old.joined(separator: ","))}}"#).links.count == 6)
        let step = #"{"inputs":[{"id":"a.flow#input","n":1}],"steps":[{"id":"s","source":"a.flow#input"}]}"#
        #expect(try flattened(step).links == ["Step/s → Input/a.flow#input"])
    }

    @Test func entriesThatReferToEachOtherByAnotherIdentifierAreNamedByIt() throws {
        let rows = ["Alba", "Bruma", "Cetra", "Duna"]
        let json = rows.map {
            #""\#($0.lowercased())":{"name":"\#($0)","forms":["\#($0)","\#($0 == "Alba" ? "Duna" : "Alba")"]}"#
        }
        #expect(try flattened("{" + json.joined(separator: ",") + "}").ids.contains("Shop/alba"))
        let more = rows.indices.map {
            #""\#(rows[$0].lowercased())":{"name":"\#(rows[$0])","next":"\#(rows[($0 + 1) % 4])"}"#
        }
        #expect(try flattened("{" + more.joined(separator: ",") + "}").ids == rows.map { "Shop/\($0)" })
    }

    @Test func identifierOfObjectsThatAreNamedByTheirKeysMayBeAReference() throws {
        let codes = "abcdef".map { #""\#($0)x":{"name":"Old \#($0)","n":1}"# }.joined(separator: ",")
        let names = "abcdef".map { #""Old \#($0)":{"id":"\#($0)x"}"# }.joined(separator: ",")
        #expect(try flattened(#"{"codes":{\#(codes)},"names":{\#(names)}}"#).links.count == 12)
    }

    @Test func allowedStringsOfASchemaAndIdentifiersOfOthersAreNotReferences() throws {
        let parts = "abcdef".map { #""\#($0).x":{"n":1}"# }.joined(separator: ",")
        let names = "abcdef".map { #""\#($0).x""# }.joined(separator: ",")
        #expect(
            try flattened(#"{"parts":{\#(parts)},"k":{"enum":[\#(names)]},"l":{"uses":[\#(names)]}}"#).links.count == 6)
        let lists = ["first", "second"].map { list in
            let rows = "abcdef".map { #"{"title":"\#($0).x","n":"\#(list)"}"# }
            return #""\#(list)":[\#(rows.joined(separator: ","))]"#
        }
        let twice = #"{"title":"a.x","n":"x"}"#
        let json = #"{\#(lists[0]),\#(lists[1].dropLast()),\#(twice)]}"#
        #expect(try flattened(json).links == [])
    }

    @Test(arguments: [
        (
            #"{"walls":[{"id":"Outer Brick Wall","n":1}],"sets":[{"id":"s","outside":"Outer Brick Wall"}]}"#,
            ["Set/s → Wall/Outer Brick Wall"]
        ),
        (
            #"{"walls":[{"id":"Outer Brick Wall","n":1}],"doors":[{"id":"Oak Door 2 m","m":1}],"sets":[{"id":"s","of":["Oak Door 2 m","Outer Brick Wall"]}]}"#,
            ["Set/s → Door/Oak Door 2 m", "Set/s → Wall/Outer Brick Wall"]
        ),
        (
            #"{"components":[{"bom-ref":"pkg:a@1","n":1},{"bom-ref":"pkg:b@1","n":1}],"dependencies":[{"ref":"pkg:a@1","dependsOn":["pkg:b@1"]},{"ref":"pkg:b@1","dependsOn":["pkg:a@1"]}]}"#,
            ["Dependency/pkg:a@1 → Component/pkg:b@1", "Dependency/pkg:b@1 → Component/pkg:a@1"]
        ),
        (
            #"{"walls":[{"id":"Outer Brick Wall","n":1}],"sets":[{"id":"s","fullName":"Outer Brick Wall"}]}"#, []
        ),
        (
            #"{"films":{"Up":{"n":1},"Heat":{"n":2},"Big":{"n":1}},"shows":[{"id":1,"film":{"name":"Heat","x":1}}]}"#,
            ["Show/1 → Film/Heat"]
        ),
        (
            #"{"parameters":{"Region":{"n":1},"Zone":{"n":2},"Use":{"of":1}},"rules":[{"id":1,"of":[{"ref":"Region"}],"parameterOrder":["Zone"]}]}"#,
            ["Rule/1 → Parameter/Region", "Rule/1 → Parameter/Zone"]
        ),
        (
            ##"{"definitions":{"A":{"$id":"#/definitions/A","n":1}},"k":{"$ref":"#/definitions/A"}}"##,
            ["Document/shop → Definition/A"]
        ),
    ]) func longStringsAndPathsThatAreNamesAreReferences(_ json: String, _ links: [String]) throws {
        #expect(try flattened(json).links == links)
    }

    @Test func stringsThatNameTheirOwnObjectsAreNotReferences() throws {
        let parts = "abcdef".map { #""\#($0)":{"label":"x","old":["\#($0)"]}"# }
        #expect(try flattened(#"{"parts":{\#(parts.joined(separator: ","))}}"#).links == [])
        let rules = "abcdef".map { #"{"id":"r.\#($0)","of":[{"old":"r.\#($0)","n":1}]}"# }
        #expect(try flattened(#"{"rules":[\#(rules.joined(separator: ","))]}"#).links == [])
        let terms = "abcdef".map { #""\#($0)":{"label":"x","code":"\#($0)"}"# }
        #expect(try flattened(#"{"terms":{\#(terms.joined(separator: ","))}}"#).links == [])
    }
}
