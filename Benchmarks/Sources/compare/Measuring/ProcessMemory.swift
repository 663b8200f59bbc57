import Foundation

/// The memory of this process.
enum ProcessMemory {
    /// A figure in bytes, as the system names it; 0 if the system does not report it.
    static func figure(_ name: String) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let kilobytes = Double(line.dropFirst(name.count + 1).filter(\.isNumber))
        else { return 0 }
        return kilobytes * 1_024
    }
}
