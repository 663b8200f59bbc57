import Foundation
import Testing

@testable import records

/// CSV and TSV by RFC 4180.
@Suite struct DelimitedTextTests {
    private func rows(_ text: String, delimiter: Character = ",") throws -> [[String?]] {
        var rows: [[String?]] = []
        var reader = DelimitedText(Array(text.utf8), delimiter: try #require(delimiter.asciiValue), of: "x.csv")
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private func error(_ bytes: [UInt8]) throws -> String? {
        var reader = DelimitedText(bytes, delimiter: UInt8(ascii: ","), of: "x.csv")
        do {
            while try reader.next() != nil {}
            return nil
        } catch let error as InputError {
            return error.description
        }
    }

    @Test func valuesAreSplitAsRFC4180Says() throws {
        #expect(try rows("a,b\r\nc,d") == [["a", "b"], ["c", "d"]])
        #expect(try rows("a,\"b\"\"c\",\"d,e\"\n") == [["a", "b\"c", "d,e"]])
        #expect(try rows("\"a\r\nb\",c\n") == [["a\r\nb", "c"]])
        #expect(try rows("a\tb,c\n", delimiter: "\t") == [["a", "b,c"]])
        #expect(try rows("5\" disk,x\n") == [["5\" disk", "x"]])
        #expect(try rows("a\rb\r") == [["a"], ["b"]])
    }

    @Test func emptyValueDiffersFromTheEmptyString() throws {
        #expect(try rows("a,,\"\"\n,\n") == [["a", nil, ""], [nil, nil]])
    }

    @Test func emptyLineIsNotARow() throws {
        #expect(try rows("\n\na\n\r\n\nb\n\n") == [["a"], ["b"]])
        #expect(try rows("") == [])
        #expect(try rows("\"\"\n") == [[""]])
    }

    @Test func errorsNameTheLine() throws {
        let quote = "x.csv: line 2: found a quote that begins a value, and none that ends it"
        #expect(try error(Array("a\n\"b\nc\n".utf8)) == quote)
        let after = "x.csv: line 2: found a character after a closing quote, expected a delimiter or a new line"
        #expect(try error(Array("a\n\"b\"c\n".utf8)) == after)
        let bytes =
            "x.csv: line 3: found bytes that are not UTF-8: convert the text with 'iconv -f WINDOWS-1252 -t UTF-8'"
        #expect(try error(Array("a\nb\nK".utf8) + [0xF6] + Array("ln\n".utf8)) == bytes)
    }

    @Test(.enabled(if: Shell.path(of: "python3") != nil, "Python is not installed"), arguments: ["excel", "unix"])
    func whatPythonWritesIsRead(_ dialect: String) throws {
        let program = """
            import csv, json, random
            random.seed(7)
            rows = [[''.join(random.choice('ab,"\\n\\r ;ä') for _ in range(random.randrange(1, 6))) for _ in range(3)]
                    for _ in range(500)]
            csv.writer(open('rows.csv', 'w', newline='', encoding='utf-8'), dialect='\(dialect)').writerows(rows)
            print(json.dumps(rows))
            """
        let folder = try ToolFolder()
        let expected = try JSONDecoder().decode(
            [[String]].self, from: Data(folder.output("python3 -", input: program).utf8))
        #expect(try rows(try folder.text(of: "rows.csv")) == expected)
    }
}
