/// A form of data that the tool does not read, with the command that converts it.
struct OtherFormat {
    /// The name, as the end of a sentence that begins with the file.
    let name: String

    /// The first bytes of such data.
    var starts: [[UInt8]] = []

    /// The suffixes of names of files, which count where the content is not JSON.
    var suffixes: [String] = []

    /// The command that prints the data as JSON or CSV, without the path.
    let command: String

    private static let zipStart: [UInt8] = [0x50, 0x4B, 0x03, 0x04]

    private static let all = [
        OtherFormat(name: "compressed by gzip", starts: [[0x1F, 0x8B]], command: "gzip -dc"),
        OtherFormat(name: "compressed by zstd", starts: [[0x28, 0xB5, 0x2F, 0xFD]], command: "zstd -dc"),
        OtherFormat(name: "compressed by xz", starts: [[0xFD, 0x37, 0x7A, 0x58, 0x5A]], command: "xz -dc"),
        OtherFormat(name: "compressed by bzip2", starts: [Array("BZh".utf8)], command: "bzip2 -dc"),
        OtherFormat(name: "a zip archive", starts: [zipStart], command: "unzip -p"),
        OtherFormat(
            name: "an Excel file", starts: [zipStart, [0xD0, 0xCF, 0x11, 0xE0]], suffixes: [".xlsx", ".xls"],
            command: "in2csv"),
        OtherFormat(name: "a Parquet file", starts: [Array("PAR1".utf8)], command: "parquet-tools cat --json"),
        OtherFormat(
            name: "YAML", starts: [Array("%YAML".utf8), Array("---".utf8)], suffixes: [".yaml", ".yml"],
            command: "yq -o json"),
        OtherFormat(name: "TOML", suffixes: [".toml"], command: "yq -p toml -o json"),
        OtherFormat(name: "XML", starts: [Array("<".utf8)], suffixes: [".xml"], command: "yq -p xml -o json"),
    ]

    /// The form of data that begin with some bytes; nil for none that is known.
    ///
    /// - Parameter path: The path, or `-` for standard input.
    static func of(_ bytes: some Sequence<UInt8>, at path: String) -> OtherFormat? {
        let found = all.filter { $0.starts.contains { bytes.starts(with: $0) } }
        return found.first { path.ends(withOneOf: $0.suffixes) } ?? found.first
    }

    /// The form of data that is not JSON, by the name of its file; nil for none that is known.
    static func ofFile(_ path: String) -> OtherFormat? { all.first { path.ends(withOneOf: $0.suffixes) } }

    /// The error for an input.
    func error(at path: String) -> InputError {
        let isStream = path == OpenFile.standardInput
        let option = command == "in2csv" ? " --delimiter=," : ""
        let start = isStream ? "… | \(command)" : "\(command) \(path)"
        return InputError(
            input: OpenFile.name(of: path),
            reason: "is \(name), which is not read: convert it with '\(start) | records ls -\(option)'")
    }
}
