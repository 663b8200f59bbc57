import Foundation
import Testing

#if SQLite
/// SQLite databases of other programs, made by the program sqlite3.
@Suite struct ForeignSQLiteTests {
    private func folder(_ sql: String) throws -> ToolFolder {
        let folder = try ToolFolder()
        _ = try folder.output("sqlite3 music.db", input: sql)
        return folder
    }

    private static let music = """
        CREATE TABLE Artist (ArtistId INTEGER PRIMARY KEY, Name TEXT);
        CREATE TABLE albums (id INTEGER PRIMARY KEY, Title TEXT, ArtistId INTEGER REFERENCES artist);
        CREATE TABLE playlist_track (list INTEGER, track TEXT, PRIMARY KEY (list, track)) WITHOUT ROWID;
        CREATE TABLE playing (at TEXT, list INTEGER, track TEXT,
            FOREIGN KEY (list, track) REFERENCES playlist_track (list, track));
        CREATE VIEW titles AS SELECT Title FROM albums;
        INSERT INTO Artist VALUES (1, 'AC/DC'), (2, 'Accept');
        INSERT INTO albums VALUES (1, 'Let There Be Rock', 1), (2, 'Balls', 2), (3, 'Lost', 99), (4, 'None', NULL);
        INSERT INTO playlist_track VALUES (1, 'a,b'), (2, 'c~');
        INSERT INTO playing VALUES ('x', 1, 'a,b'), ('y', 7, 'z'), ('z', NULL, 'a,b');
        """

    @Test func tablesAreTypesAndForeignKeysAreReferences() throws {
        let folder = try folder(Self.music)
        #expect(
            try folder.output("records copy music.db -") == """
                {"id":"Artist/1","fields":{"ArtistId":1,"Name":"AC/DC"}}
                {"id":"Artist/2","fields":{"ArtistId":2,"Name":"Accept"}}
                {"id":"Album/1","fields":{"id":1,"Title":"Let There Be Rock","ArtistId":{"$ref":"Artist/1","link":true}}}
                {"id":"Album/2","fields":{"id":2,"Title":"Balls","ArtistId":{"$ref":"Artist/2","link":true}}}
                {"id":"Album/3","fields":{"id":3,"Title":"Lost","ArtistId":{"$ref":"Artist/99","link":true}}}
                {"id":"Album/4","fields":{"id":4,"Title":"None","ArtistId":null}}
                {"id":"PlaylistTrack/1,a~1b","fields":{"list":1,"track":"a,b"}}
                {"id":"PlaylistTrack/2,c~0","fields":{"list":2,"track":"c~"}}
                {"id":"Playing/1","fields":{"at":"x","list":1,"track":"a,b","list_track":{"$ref":"PlaylistTrack/1,a~1b","link":true}}}
                {"id":"Playing/2","fields":{"at":"y","list":7,"track":"z","list_track":{"$ref":"PlaylistTrack/7,z","link":true}}}
                {"id":"Playing/3","fields":{"at":"z","list":null,"track":"a,b"}}
                {"id":"Title/1","fields":{"Title":"Let There Be Rock"}}
                {"id":"Title/2","fields":{"Title":"Balls"}}
                {"id":"Title/3","fields":{"Title":"Lost"}}
                {"id":"Title/4","fields":{"Title":"None"}}

                """)
        #expect(
            try folder.output("records query music.db Album --ids --where 'ArtistId.Name = \"AC/DC\"'")
                == "Album/1\n")
    }

    @Test func valuesHaveTheTypesOfSQLite() throws {
        let folder = try folder(
            """
            CREATE TABLE v (a);
            INSERT INTO v VALUES (9223372036854775807), (0.1), ('x'), (x'00FF'), (NULL), (x''), (''), (1e999),
                (CAST(x'FF' AS TEXT));
            """)
        #expect(
            try folder.output("records copy music.db - | sed 's/.*\"a\"://'") == """
                9223372036854775807}}
                0.1}}
                "x"}}
                {"$bytes":"AP8="}}}
                null}}
                {"$bytes":""}}}
                ""}}
                {"$double":"inf"}}}
                {"$bytes":"/w=="}}}

                """)
    }

    @Test func countsAreThoseOfSQLite() throws {
        let folder = try folder(
            """
            CREATE TABLE people (name TEXT PRIMARY KEY, age INT, boss TEXT REFERENCES people);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO people SELECT 'p' || i, i % 7, CASE WHEN i > 1 THEN 'p' || (i / 2) END FROM n;
            """)
        let count = try folder.output("sqlite3 music.db 'SELECT count(*) FROM people WHERE age > 3'")
        #expect(try folder.output("records query music.db Person --where 'age > 3' --count") == count)
        let join = "SELECT count(*) FROM people p JOIN people b ON p.boss = b.name WHERE b.age = 2"
        #expect(
            try folder.output("records query music.db Person --where 'boss.age = 2' --count")
                == folder.output("sqlite3 music.db '\(join)'"))
    }

    /// Affinity and collation of the target decide which row a value means.
    @Test func referencesAreThoseThatSQLiteFollows() throws {
        let folder = try folder(
            """
            CREATE TABLE country (code TEXT COLLATE NOCASE PRIMARY KEY, number TEXT UNIQUE);
            CREATE TABLE city (a TEXT REFERENCES country, b INTEGER REFERENCES country (number));
            INSERT INTO country VALUES ('DE', '49');
            INSERT INTO city VALUES ('de', 49), ('FR', 33);
            """)
        #expect(
            try folder.output("records copy music.db - | tail -n 2") == """
                {"id":"City/1","fields":{"a":{"$ref":"Country/DE","link":true},"b":{"$ref":"Country/DE","link":true}}}
                {"id":"City/2","fields":{"a":{"$ref":"Country/FR","link":true},"b":33}}

                """)
    }

    @Test func missingTargetIsNamedInTheOrderOfItsKey() throws {
        let folder = try folder(
            """
            PRAGMA encoding = 'UTF-16';
            CREATE TABLE place (a TEXT, b TEXT, PRIMARY KEY (b, a));
            CREATE TABLE visit (x TEXT, y TEXT, FOREIGN KEY (x, y) REFERENCES place (a, b));
            INSERT INTO visit VALUES ('ä', '2');
            """)
        let reference = "{\"$ref\":\"Place/2,ä\",\"link\":true}"
        #expect(
            try folder.output("records copy music.db -")
                == "{\"id\":\"Visit/1\",\"fields\":{\"x\":\"ä\",\"y\":\"2\",\"x_y\":\(reference)}}\n")
    }

    @Test func keysThatCannotBeNamesGiveRowNumbers() throws {
        let folder = try folder(
            """
            CREATE TABLE a (k TEXT PRIMARY KEY); INSERT INTO a VALUES ('x'), (NULL);
            CREATE TABLE b (k PRIMARY KEY); INSERT INTO b VALUES (1), ('1');
            CREATE TABLE c (k BLOB PRIMARY KEY, rowid); INSERT INTO c VALUES (x'0AFF', 7);
            CREATE TABLE d (k TEXT PRIMARY KEY, a REFERENCES a); INSERT INTO d VALUES ('', 'x');
            """)
        #expect(
            try folder.output("records query music.db --ids") == "A/1\nA/2\nB/1\nB/2\nC/0AFF\nD/1\n")
        #expect(try folder.output("records copy music.db - | tail -n 1").contains("{\"$ref\":\"A/1\",\"link\":true}"))
        _ = try folder.output(
            "sqlite3 music.db", input: "CREATE TABLE e (k PRIMARY KEY) WITHOUT ROWID; INSERT INTO e VALUES ('')")
        let run = try folder.run("records ls music.db")
        #expect(
            run
                == .error(
                    "music.db: the key '' of the table 'e' cannot name a record, and its rows do not have numbers"))
    }

    @Test func tablesThatWouldShareATypeKeepTheirNames() throws {
        let folder = try folder(
            """
            CREATE TABLE user (a); CREATE TABLE users (a); CREATE TABLE "order details" (a); CREATE TABLE "顧客" (a);
            INSERT INTO user VALUES (1); INSERT INTO users VALUES (1); INSERT INTO "order details" VALUES (1);
            INSERT INTO "顧客" VALUES (1);
            """)
        #expect(try folder.output("records query music.db --ids") == "user/1\nusers/1\nOrderDetail/1\nTable4/1\n")
    }

    @Test func viewThatCannotBeReadIsLeftOutWithAHint() throws {
        let folder = try folder(
            "CREATE TABLE a (x); INSERT INTO a VALUES (1); CREATE VIEW v AS SELECT * FROM gone;")
        let run = try folder.run("records query music.db --ids")
        #expect(run.status == 0 && run.output == "A/1\n")
        #expect(run.errors.hasPrefix("records: hint: 'v' in music.db is left out: "))
        #expect(run.errors.contains("no such table: main.gone"))
    }

    @Test func changesInTheLogAreReadAndStayThere() throws {
        let folder = try folder("CREATE TABLE a (x); INSERT INTO a VALUES (1);")
        // The writer is killed, so its log stays.
        _ = try folder.run(
            """
            mkfifo in; sqlite3 music.db < in > said & exec 3> in
            echo 'PRAGMA journal_mode = WAL; INSERT INTO a VALUES (2);' >&3; echo '.print ok' >&3
            until grep -q ok said; do sleep 0.05; done; kill -9 $!; wait $! 2>/dev/null
            """)
        let digest = "cksum music.db music.db-wal"
        let before = try folder.output(digest)
        #expect(try folder.output("records query music.db --ids") == "A/1\nA/2\n")
        _ = try folder.output("records copy music.db new.records")
        #expect(try folder.output("records query new.records --ids") == "A/1\nA/2\n")
        for command in [
            "set music.db A/1 x=3", "copy - music.db", "copy new.records music.db", "delete music.db A/1 --yes",
        ] {
            let run = try folder.run("records \(command) < /dev/null")
            #expect(run.status != 0)
            #expect(run.errors.contains("music.db: is a SQLite database of another program, which is only read"))
        }
        #expect(try folder.output(digest) == before)
    }

    @Test func fileThatIsNotADatabaseIsNamed() throws {
        let folder = try ToolFolder()
        try folder.write("SQLite format 3\0and nothing else", to: "x.sqlite")
        let run = try folder.run("records ls x.sqlite")
        #expect(run.status == 1 && run.errors.hasPrefix("records: ") && run.errors.contains("x.sqlite"))
    }
}
#endif
