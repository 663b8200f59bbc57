import Foundation

/// Ends the program where something does not hold; an optimised program's `precondition` would not say what.
func demand(_ holds: Bool, _ message: @autoclosure () -> String) {
    if !holds { fail(message()) }
}

/// Ends the program.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\n\(message)\n".utf8))
    abort()
}
