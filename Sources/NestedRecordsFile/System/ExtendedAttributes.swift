#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Bionic)
import Bionic
#endif

enum ExtendedAttributes {
    #if canImport(Darwin)
    static func copy(from source: Int32, to target: Int32) -> Int {
        let code = fcopyfile(source, target, nil, copyfile_flags_t(COPYFILE_ACL | COPYFILE_XATTR))
        return code >= 0 ? 0 : -Int(errno)
    }
    #else
    private typealias Attributes = [[UInt8]: [UInt8]]

    private struct Refused: Error {
        let code: Int
    }

    private static let madeOfContent = ["security.ima", "security.evm"].map { Array($0.utf8) }

    static func copy(from source: Int32, to target: Int32) -> Int {
        do throws(Refused) {
            let (wanted, present) = (try attributes(of: source), try attributes(of: target))
            for name in present.keys where wanted[name] == nil {
                // The system labels every file itself. An inherited access control list is not such a label.
                if name.starts(with: "security.".utf8) { continue }
                _ = try checked(Int(removeAttribute(target, name + [0])))
            }
            for (name, value) in wanted where present[name] != value && !madeOfContent.contains(name) {
                _ = try checked(Int(setAttribute(target, name + [0], value, value.count, 0)))
            }
            return 0
        } catch {
            return -error.code
        }
    }

    private static func attributes(of descriptor: Int32) throws(Refused) -> Attributes {
        var result = Attributes()
        let names: [UInt8]
        do throws(Refused) {
            names = try bytes { listAttributes(descriptor, $0.baseAddress, $0.count) }
        } catch {
            // If the file system has no such attributes, none is lost.
            guard [Int(ENOTSUP), Int(ENOSYS)].contains(error.code) else { throw error }
            return result
        }
        for name in names.split(separator: 0) {  // Characters: bytes
            result[Array(name)] = try bytes { attribute(descriptor, name + [0], $0.baseAddress, $0.count) }
        }
        return result
    }

    /// The result of a call that reports the required size if the buffer is too small.
    private static func bytes(_ call: (UnsafeMutableRawBufferPointer) -> Int) throws(Refused) -> [UInt8] {
        let size = try checked(call(UnsafeMutableRawBufferPointer(start: nil, count: 0)))
        if size == 0 { return [] }
        var bytes = [UInt8](repeating: 0, count: size)
        let count = try checked(bytes.withUnsafeMutableBytes(call))
        return Array(bytes.prefix(count))
    }

    private static func checked(_ code: Int) throws(Refused) -> Int {
        guard code >= 0 else { throw Refused(code: Int(errno)) }
        return code
    }
    #endif
}

#if !canImport(Darwin)
// The C library has these functions, but Swift's modules of it omit the header that declares them.
@_silgen_name("flistxattr")
private func listAttributes(_ descriptor: Int32, _ names: UnsafeMutableRawPointer?, _ size: Int) -> Int

@_silgen_name("fgetxattr")
private func attribute(
    _ descriptor: Int32, _ name: UnsafeRawPointer?, _ value: UnsafeMutableRawPointer?, _ size: Int
) -> Int

@_silgen_name("fsetxattr")
private func setAttribute(
    _ descriptor: Int32, _ name: UnsafeRawPointer?, _ value: UnsafeRawPointer?, _ size: Int, _ flags: Int32
) -> Int32

@_silgen_name("fremovexattr")
private func removeAttribute(_ descriptor: Int32, _ name: UnsafeRawPointer?) -> Int32
#endif
