#if FUZZ
import Foundation

// The entry point of libFuzzer, with the kind of inputs that the variable FUZZ_KIND names.

private let kind = ProcessInfo.processInfo.environment["FUZZ_KIND"] ?? ""

private func wait(for body: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        done.signal()
    }
    done.wait()
}

/// Tests one input of the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    switch kind {
    case "records": RecordInput.check(input)
    case "programs": ProgramInput.check(input)
    default: wait { await FileInput.check(input) }
    }
    return 0
}

/// Writes the first inputs, before the fuzzer reads them.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    wait {
        do {
            let seeds =
                switch kind {
                case "records": try RecordInput.seeds()
                case "programs": ProgramInput.seeds()
                default: try await FileInput.seeds()
                }
            for (number, seed) in seeds.enumerated() {
                try Data(seed).write(to: URL(fileURLWithPath: folder).appendingPathComponent("seed-\(number)"))
            }
        } catch {
            fail("the first inputs could not be written: \(error)")
        }
    }
    return 0
}
#endif
