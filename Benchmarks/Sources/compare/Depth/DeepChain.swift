import Foundation
import Models
import NestedRecords

/// A chain of persons coded in a thread with a small stack, in a process of its own that may crash.
struct DeepChain {
    static let command = "code-deep-chain"
    static let stackSize = 512 << 10

    /// Whether a process survives a chain of this length.
    static func survives(_ direction: String, links: Int) throws -> Bool {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [command, direction, String(links)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // Without this, the runtime prints a long backtrace of the crash.
        process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// The work of the process, for the arguments after the command.
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 2, let links = Int(arguments[1]) else { exit(2) }
        let isEncoding = arguments[0] == "encode"
        let chain = Person.chain(of: links)
        // Decoding needs records, which are made in a thread with a larger stack.
        let graph = isEncoding ? nil : try? encode(chain)
        let thread = Thread {
            do {
                if let graph {
                    var decoder = RecordDecoder()
                    decoder.coding.maximumDepth = links
                    leave(try decoder.decode(Person.self, from: graph).name == chain.name)
                }
                leave(isEncoding ? try encode(chain).count == links : false)
            } catch {
                leave(false)
            }
        }
        thread.stackSize = stackSize
        thread.start()
        while true { sleep(1) }
    }

    private static func encode(_ chain: Person) throws -> RecordGraph {
        var encoder = RecordEncoder()
        encoder.coding.maximumDepth = .max
        return try encoder.encode(chain)
    }

    /// Ends the process without freeing memory, which is not measured.
    private static func leave(_ isGood: Bool) -> Never {
        _exit(isGood ? 0 : 1)
    }
}
