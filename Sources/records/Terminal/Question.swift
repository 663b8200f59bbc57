#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Console {
    /// Whether somebody can answer questions: standard input and standard error are terminals.
    var canAsk: Bool { isatty(STDIN_FILENO) == 1 && statusLine.terminal.isTerminal }

    /// Asks a question on standard error.
    ///
    /// - Parameters:
    ///   - question: The question.
    ///   - answers: The letters that may be typed.
    /// - Returns: The letter; nil at the end of the input.
    func answer(to question: String, _ answers: [String]) -> String? {
        while true {
            statusLine.print("\(question) [\(answers.joined(separator: "/"))]")
            guard let line = readLine() else { return nil }
            if let answer = answers.first(where: { line.lowercased().utf8.starts(with: $0.utf8) }) { return answer }
        }
    }
}
