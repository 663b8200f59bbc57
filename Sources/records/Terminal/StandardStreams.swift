#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The three standard descriptors of a process.
enum StandardStreams {
    /// Occupies the standard descriptors that were closed when the process started.
    ///
    /// Otherwise the next opened file would get such a descriptor, and messages would overwrite a record file. Using a
    /// closed stream stays an error, since its replacement is opened in the opposite direction.
    ///
    /// Must be called before any file is opened.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // A new descriptor is the lowest free one, and all lower ones are occupied.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
