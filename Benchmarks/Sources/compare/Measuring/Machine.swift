import Foundation

/// The machine of the measurements.
struct Machine: Encodable {
    let processor: String
    let cores: Int
    let system: String
    let swift: String

    /// Whether the compiler optimized.
    let build: String

    init() {
        let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        processor = Self.value(of: "model name", in: information, separator: ":") ?? "unknown"
        cores = ProcessInfo.processInfo.activeProcessorCount
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        system =
            Self.value(of: "PRETTY_NAME", in: release, separator: "=")
            ?? ProcessInfo.processInfo.operatingSystemVersionString
        swift = Self.swiftVersion() ?? "unknown"
        #if DEBUG
        build = "debug"
        #else
        build = "release"
        #endif
    }

    private static func value(of key: String, in text: String, separator: Character) -> String? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(key) }
        guard let line, let position = line.firstIndex(of: separator) else { return nil }
        return line[line.index(after: position)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }

    /// The version of the toolchain, which the program itself cannot see.
    private static func swiftVersion() -> String? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "--version"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let position = words.firstIndex(of: "version"), position + 1 < words.endIndex else { return nil }
        return String(words[position + 1])
    }
}

extension Machine: CustomStringConvertible {
    var description: String { "\(processor), \(cores) cores, \(system), Swift \(swift), \(build) build" }
}
