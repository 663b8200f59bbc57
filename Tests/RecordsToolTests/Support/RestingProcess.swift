#if os(Linux)
import Foundation

extension Process {
    /// Whether the process is the tool by now, and not the program that starts it.
    var isTool: Bool {
        get throws {
            let path = "/proc/\(processIdentifier)/exe"
            return try FileManager.default.destinationOfSymbolicLink(atPath: path) == Shell.tool
        }
    }

    /// Whether the process is the tool, and all of its threads wait.
    var isToolAtRest: Bool {
        get throws {
            let threads = "/proc/\(processIdentifier)/task"
            return try isTool
                && FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy {
                    try String(contentsOfFile: "\(threads)/\($0)/status", encoding: .utf8).contains("\nState:\tS")
                }
        }
    }
}
#endif
