import Foundation
import Testing

/// A terminal without a window: what is written to one end is read at the other.
final class PseudoTerminal {
    let master: Int32
    let slave: Int32

    /// Makes a terminal of a size; 0 columns or rows if it is not to know them.
    init(columns: UInt16, rows: UInt16 = 0) throws {
        #if canImport(Darwin)
        master = posix_openpt(O_RDWR | O_NOCTTY)
        try #require(grantpt(master) == 0 && unlockpt(master) == 0)
        slave = open(String(cString: try #require(ptsname(master))), O_RDWR | O_NOCTTY)
        #else
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // The requests that unlock the other end and tell its number are macros that Swift does not see.
        var number: Int32 = 0
        try #require(ioctl(master, 0x4004_5431, &number) == 0)
        try #require(ioctl(master, 0x8004_5430, &number) == 0)
        slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        #endif
        try #require(slave >= 0)
        var size = winsize()
        (size.ws_col, size.ws_row) = (columns, rows)
        try #require(ioctl(slave, UInt(TIOCSWINSZ), &size) == 0)
    }

    /// What was written so far and not read yet.
    func read() throws -> String {
        var text: [UInt8] = []
        var request = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        while poll(&request, 1, 0) == 1, Int32(request.revents) & Int32(POLLIN) != 0 {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = bytes.withUnsafeMutableBytes { Foundation.read(master, $0.baseAddress, $0.count) }
            try #require(count > 0)
            text += bytes.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    deinit {
        close(master)
        close(slave)
    }
}
