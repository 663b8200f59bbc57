#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The three descriptors that a process is started with.
enum StandardStreams {
    /// Takes the descriptors of streams that were closed when the process was started.
    ///
    /// The next file to be opened would get such a descriptor, and with it what is printed: a record file would be
    /// written over by messages. Using a stream that was closed stays an error, since it is opened the wrong way round.
    ///
    /// To be called before anything is opened.
    static func secure() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // A new descriptor is the lowest free one, and all below this one are taken.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
