import Testing

@testable import records

@Suite struct ServerAddressTests {
    @Test(
        arguments: [
            ("postgresql://", "postgresql://", nil, "postgresql://"),
            ("postgres://h/d", "postgres://h/d", nil, "postgres://h/d"),
            ("postgresql://u:secret@h:1/d", "postgresql://u:secret@h:1/d", nil, "postgresql://u@h:1/d"),
            (
                "postgresql://u@h/d?password=secret&schema=a%20b&sslmode=require",
                "postgresql://u@h/d?password=secret&sslmode=require", "a b", "postgresql://u@h/d?schema=a%20b"
            ),
            ("postgresql://h?schema=%25", "postgresql://h", "%", "postgresql://h?schema=%25"),
            ("PostgreSQL://u:secret@h/d", "postgresql://u:secret@h/d", nil, "postgresql://u@h/d"),
            ("POSTGRES://h", "postgres://h", nil, "postgres://h"),
            (
                "postgresql://u:\u{301}secret@\u{301}h/d?schema=\u{301}x",
                "postgresql://u:\u{301}secret@\u{301}h/d", "\u{301}x",
                "postgresql://u@\u{301}h/d?schema=\u{301}x"
            ),
            (
                "postgresql://\u{301}u:secret@h/\u{301}?\u{301}", "postgresql://\u{301}u:secret@h/\u{301}?\u{301}",
                nil, "postgresql://\u{301}u@h/\u{301}"
            ),
            (
                "postgresql://:secret@a:1,b:2/d?schema=", "postgresql://:secret@a:1,b:2/d", "",
                "postgresql://@a:1,b:2/d?schema="
            ),
        ] as [(String, String, String?, String)])
    func schemaAndPasswordAreTakenOut(
        _ text: String, _ connection: String, _ schema: String?, _ shown: String
    ) throws {
        let address = try #require(try ServerAddress(text))
        #expect(address.connection == connection)
        #expect(address.schema == schema)
        #expect(address.shown == shown)
    }

    @Test(
        arguments: [
            "school.records", "", "-", "postgresql:x", "./postgresql://h", "./host=h password=1", "/tmp/a password=1",
            "data/host=a/b.records", "hostess=1", "a=b", "host", "password.records",
        ])
    func pathsAreNotAddresses(_ text: String) throws {
        #expect(try ServerAddress(text) == nil)
        #expect(try ServerAddress.shown(text) == text)
    }

    @Test(
        arguments: [
            "u:sec@ret@h/d", "u:sec/ret@h/d", "u:sec?ret@h/d", "u:secret@h/d?schema=a&schema=b",
            "u:secret@h/d?schema=%",
            "u:sec@\u{301}ret@h/d", "u:secret@h/d?schema=%+1", "u:secret@h/d?schema=%FF", "u:secret@h/d?schema=%4",
        ])
    func addressesThatCannotBeReadAreRefusedWithoutTheirWords(_ rest: String) throws {
        let error = #expect(throws: UsageError.self) { try ServerAddress("postgresql://" + rest) }
        let text = try #require(error).description
        #expect(!text.contains("sec") && !text.contains("ret@"))
    }

    @Test(
        arguments: [
            "host=h password=secret", "password=secret", "\tHOST = h  PASSWORD = secret", "dbname=d user=u",
            "application_name=a password='sec ret@'", "school sslpassword=secret", "port=\u{301}1 password=secret",
            "service=\u{301}", "host=h\npassword\n=\u{301}secret",
        ])
    func keywordsAreRefusedWithoutTheirValues(_ text: String) async throws {
        let error = try #require(#expect(throws: UsageError.self) { try ServerAddress(text) }).description
        #expect(error.contains("'postgresql://USER@HOST/DATABASE'") && !error.contains("sec"))
        let commands = [
            ["query", text], ["verify", text], ["copy", text, "a"], ["copy", "/dev/null", text],
            ["get", text, "A/1"],
            ["migrate", text, "--type", "A=B"], ["log", text],
        ]
        for words in commands {
            let run = try await ToolRun.of(Records.program, words)
            #expect(run.status == 2 && !run.errors.contains("sec") && run.output == "", "\(words)")
        }
    }

    @Test(
        arguments: [
            ["host=h password=secret"], ["verify", "a", "host=h password=secret"],
            ["query", "--format=password=secret", "a"],
            ["query", "--format", "sslpassword = 'sec\u{301}ret@'", "a"],
            ["copy", "--salvage", "user=u password=secret", "-"],
            ["flatten", "./PASSWORD=secret"], ["flatten", "./a password=\u{301}secret"],
            ["query", "./password=\u{1}secret"],
            ["verify", "a", "oauth_client_secret=hidden-sec"],
            ["verify", "a", "dbname=postgresql://u@h/d password=secret"],
            ["verify", "a", "password=secret dbname=postgresql://u:secret@h/d"],
            ["verify", "a", "dbname=postgresql://u:secret@h/d password=sec"],
        ])
    func valuesOfSecretKeywordsAreNotPrinted(_ words: [String]) async throws {
        let run = try await ToolRun.of(Records.program, words)
        #expect(run.status != 0 && run.output == "")
        let text = run.errors.replacing("oauth_client_secret", with: "")
        #expect(text.contains("=…") || text.contains("'postgresql://USER@HOST/DATABASE'"), "\(run.errors)")
        #expect(!text.contains("sec") && !text.contains("ret@"), "\(run.errors)")
    }

    @Test(arguments: ["", "--into=", "-o"])
    func textsLoseThePasswords(_ prefix: String) {
        let words = ["copy", prefix + "postgresql://u:secret@h/d", "x"]
        #expect(
            ServerAddress.withoutPasswords("unexpected '\(words[1])', x", of: words)
                == "unexpected '\(prefix)postgresql://u@h/d', x")
        let address = "POSTGRES://\u{301}u:\u{301}secret@\u{301}h/d"
        #expect(
            ServerAddress.withoutPasswords("not '\(address)\u{301}'", of: [prefix + address])
                == "not 'postgres://\u{301}u@\u{301}h/d\u{301}'")
        #expect(
            ServerAddress.withoutPasswords("not 'postgres://u:a@b@h'", of: ["postgres://u:a@b@h"])
                == "not 'postgresql://…'")
    }

    @Test(arguments: [
        ["postgresql://u:secret@h/d"], ["verify", "a", "postgresql://u:secret@h/d"],
        ["query", "--format", "postgresql://u:secret@h/d", "a"],
        ["query", "--format=postgresql://u:secret\u{1}@h/d", "a"],
        ["query", "postgresql://u:\u{301}secret@127.0.0.1:1/d"], ["query", "postgresql://u:secret@\u{301}h:1/d"],
        ["query", "POSTGRESQL://u:secret@127.0.0.1:1/d"], ["query", "postgresql://\u{301}u:secret@127.0.0.1:1/d"],
        ["query", "--format=postgresql://\u{301}u:secret@h/d", "a"],
        ["query", "postgresql://u:sec@ret@h/d"], ["copy", "--salvage", "postgresql://u:secret@h/d", "-"],
        ["copy", "/dev/null", "postgresql://u:secret@h/d?connect_timeout=x"],
        ["get", "postgresql://u:secret@h:0/d", "A/1"],
    ])
    func noCommandPrintsAPassword(_ words: [String]) async throws {
        let run = try await ToolRun.of(Records.program, words)
        #expect(run.status != 0)
        #expect(run.errors.contains("postgresql:/") || run.errors.contains("one '@'"))
        #expect(!run.errors.contains("sec"))
        #expect(!run.errors.contains("ret@"))
        #expect(run.output == "")
    }
}
