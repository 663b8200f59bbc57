package import Foundation

/// The program `openssl`, which makes keys and certificates.
package enum OpenSSLCommand {
    package static let path = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first(where: FileManager.default.isExecutableFile)

    package struct Failure: Error {
        package let arguments: [String]
    }

    /// Runs the program.
    ///
    /// - Parameter arguments: Its arguments.
    /// - Returns: Its output.
    /// - Throws: ``Failure`` if it fails.
    package static func run(_ arguments: String...) throws -> Data { try run(arguments) }

    package static func run(_ arguments: [String]) throws -> Data {
        guard let path else { throw Failure(arguments: arguments) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(arguments: arguments) }
        return data
    }

    /// Makes a private key.
    ///
    /// - Parameters:
    ///   - algorithm: Its algorithm, such as `RSA`.
    ///   - option: An option of the algorithm, such as `rsa_keygen_bits:2048`.
    ///   - file: The path of the file, which has the form PKCS#8.
    /// - Returns: The text of the file.
    /// - Throws: ``Failure`` if the program fails.
    package static func makeKey(_ algorithm: String, _ option: String? = nil, at file: String) throws -> String {
        let arguments = ["genpkey", "-algorithm", algorithm, "-out", file]
        _ = try run(arguments + (option.map { ["-pkeyopt", $0] } ?? []))
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
    }
}
