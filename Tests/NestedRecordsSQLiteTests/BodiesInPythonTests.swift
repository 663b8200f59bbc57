#if SQLite
import Foundation
import NestedRecords
import NestedRecordsSQLite
import TestSupport
import Testing

/// The bodies of records, decoded by a program in another language that was written from the article on the binary form.
@Suite struct BodiesInPythonTests: SQLiteSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let program = #"""
        import base64, json, sqlite3, struct, sys

        class Body:
            def __init__(self, data):
                self.data, self.place = data, 0

            def take(self, count):
                self.place += count
                assert self.place <= len(self.data)
                return self.data[self.place - count:self.place]

            def byte(self):
                return self.take(1)[0]

            def varint(self):
                number, shift = 0, 0
                while True:
                    byte = self.byte()
                    number |= (byte & 0x7F) << shift
                    shift += 7
                    if byte < 0x80:
                        return number

            def float(self):
                return struct.unpack("<d", self.take(8))[0]

            def string(self):
                return self.take(self.varint()).decode()

            def id(self):
                return "/".join(self.take(self.byte()).decode() for _ in range(2))

            def fields(self):
                length = self.varint()
                end, names = self.place + length, []
                while self.place < end:
                    names.append(self.string())
                return {name: self.value() for name in names}

            def value(self):
                kind = self.byte()
                match kind:
                    case 0x00: return None
                    case 0x01 | 0x02: return kind == 2
                    case 0x03:
                        number = self.varint()
                        return number // 2 if number % 2 == 0 else -(number + 1) // 2
                    case 0x04: return self.float()
                    case 0x05: return self.string()
                    case 0x06: return {"date": self.float()}
                    case 0x07: return {"bytes": base64.b64encode(self.take(self.varint())).decode()}
                    case 0x08: return {"location": [self.float(), self.float()]}
                    case 0x09: return [self.value() for _ in range(self.varint())]
                    case 0x0A: return self.fields()
                    case 0x0B: return {"serverTimestamp": True}
                    case 0x0C | 0x0D | 0x0E | 0x0F: return {"reference": self.id(), "flags": kind - 0x0C}

        for type, name, date, created, modified, mark, names, values in sqlite3.connect(sys.argv[1]).execute("""
                SELECT types.name, records.name, date, created, modified, mark, names, body
                FROM records JOIN types ON types.number = type JOIN batches ON batches.number = batch
                LEFT JOIN shapes ON shapes.number = shape WHERE body IS NOT NULL ORDER BY 1, 2"""):
            body = Body((names or b"") + values[:-4])
            dates = [date if other is None else other for other in (created, modified)]
            record = {"id": type + "/" + name, "metadata": [mark != 0] + dates}
            record["fields"] = body.fields()
            assert body.place == len(body.data)
            print(json.dumps(record, ensure_ascii=False, separators=(",", ":")))
        """#

    @Test func aProgramOfSixtyLinesDecodesThem() async throws {
        let database = try open { $0.now = { Date(timeIntervalSinceReferenceDate: 17) } }
        let target = try Record.ID("B/ü/1")
        let records = [
            try Flat.record("A/empty"),
            try Flat.record(
                "A/values",
                [
                    "none": .null, "yes": true, "no": false, "least": .int(.min), "greatest": .int(.max), "small": -3,
                    "double": 0.1, "text": "é\n\"", "date": .date(Date(timeIntervalSinceReferenceDate: -1.5)),
                    "bytes": .bytes(Data([0, 255, 7])), "place": .location(try Location(latitude: -3.5, longitude: 4)),
                ]),
            try Flat.record(
                "B/nested",
                [
                    "list": [1, ["a": [], "": ["b": 2]], .string(String(repeating: "x", count: 200))],
                    "references": [
                        .reference(Record.Reference(to: target)),
                        .reference(Record.Reference(to: target, isLink: true)),
                        .reference(Record.Reference(to: target, action: .deleteSelf)),
                        .reference(Record.Reference(to: target, action: .deleteSelf, isLink: true)),
                    ],
                ]),
        ]
        try await database.commit(RecordBatch(saving: records, savePolicy: .overwrite))
        let metadata = #""metadata":[true,17.0,17.0]"#
        let long = String(repeating: "x", count: 200)
        #expect(
            try Article.output(of: "python3", ["-c", Self.program, path]) == #"""
                {"id":"A/empty",\#(metadata),"fields":{}}
                {"id":"A/values",\#(metadata),"fields":{"none":null,"yes":true,"no":false,"least":-9223372036854775808,"greatest":9223372036854775807,"small":-3,"double":0.1,"text":"é\n\"","date":{"date":-1.5},"bytes":{"bytes":"AP8H"},"place":{"location":[-3.5,4.0]}}}
                {"id":"B/nested",\#(metadata),"fields":{"list":[1,{"a":[],"":{"b":2}},"\#(long)"],"references":[{"reference":"B/ü/1","flags":0},{"reference":"B/ü/1","flags":1},{"reference":"B/ü/1","flags":2},{"reference":"B/ü/1","flags":3}]}}

                """#)
    }
}
#endif
