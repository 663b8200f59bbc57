package import Foundation

/// A large file of real data in the shape of ``Planet``, which is no part of the package.
///
/// The environment variable `NESTED_RECORDS_WORLD` has its path.
package enum WorldFile {
    /// The file; nil if the variable is not set.
    package static var url: URL? {
        ProcessInfo.processInfo.environment["NESTED_RECORDS_WORLD"].map { URL(fileURLWithPath: $0) }
    }

    package static func data() throws -> Data {
        guard let url else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: url)
    }

    package static func planet() throws -> Planet { try JSONDecoder().decode(Planet.self, from: data()) }
}
