import Foundation

// Makes programs of container calls of whatever bytes the fuzzer makes up, see CallProgram, and runs each with the coders
// of JSON and with those of records. They must agree on every value, on which calls throw, and on coding paths. What they
// need not agree on is stated where CallMachine, CallReader, CallWriter and CallComparison leave it out.
//
// A program that breaks this is printed as a word of hexadecimal digits, which the tests take, see ContainerCallTests.

/// Runs one program.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let program = CallProgram(Array(UnsafeBufferPointer(start: start, count: count)))
    let comparison = CallComparison(program)
    if let difference = comparison.difference {
        FileHandle.standardError.write(Data("\(comparison.report)\n\n\(difference)\n".utf8))
        fatalError("program \(program.text)")
    }
    return 0
}

/// Writes the first programs, before the fuzzer looks for them.
@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    do {
        for kept in KeptPrograms.all {
            guard let program = CallProgram(text: kept.text) else { continue }
            let file = URL(fileURLWithPath: folder).appendingPathComponent(String(kept.text.prefix(40)))
            try Data(program.bytes).write(to: file)
        }
    } catch {
        fatalError("the first programs could not be written: \(error)")
    }
    return 0
}
