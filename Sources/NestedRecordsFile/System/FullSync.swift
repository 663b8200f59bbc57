#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The decision between the two calls that write a file to the disk on Apple's systems.
enum FullSync {
    /// Whether the error of `F_FULLFSYNC` says that the file system lacks it.
    ///
    /// After another error the system may have dropped the data, so that `fsync` would succeed without it.
    static func isUnsupported(_ code: Int) -> Bool { [Int(ENOTSUP), Int(EINVAL), Int(ENOTTY)].contains(code) }

    /// Makes the full call, and the plain one only where the file system lacks the full one.
    ///
    /// - Returns: The result of the last call: not negative, or the negative of the error.
    static func run(full: () -> Int, plain: () -> Int) -> Int {
        let code = full()
        return isUnsupported(-code) ? plain() : code
    }
}
