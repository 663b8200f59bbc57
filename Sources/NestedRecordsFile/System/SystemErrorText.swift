#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The system's description of an error number.
///
/// `strerror` may keep its text where another thread changes it.
package func systemErrorText(_ number: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        guard let text = buffer.baseAddress, strerror_r(number, text, buffer.count) == 0 else {
            return "error \(number)"
        }
        return String(cString: text)
    }
}
