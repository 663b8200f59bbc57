import Foundation

/// A fault that was found.
struct Loss: Error, CustomStringConvertible {
    let description: String
}

/// Prints a whole line immediately: the program may be killed at any moment, and others print too.
func say(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}

/// Ends the program if a condition does not hold; in an optimized build `precondition` has no message.
func demand(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { fail(message()) }
}

/// Ends the program.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\n\(message)\n".utf8))
    abort()
}
