#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import CExtendedAttributes
import Glibc
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
                _ = try checked(Int(fremovexattr(target, terminated(name))))
            }
            for (name, value) in wanted where present[name] != value && !madeOfContent.contains(name) {
                _ = try checked(Int(fsetxattr(target, terminated(name), value, value.count, 0)))
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
            names = try bytes { flistxattr(descriptor, $0.bindMemory(to: CChar.self).baseAddress, $0.count) }
        } catch {
            // If the file system has no such attributes, none is lost.
            guard [Int(ENOTSUP), Int(ENOSYS)].contains(error.code) else { throw error }
            return result
        }
        for name in names.split(separator: 0) {  // Characters: bytes
            result[Array(name)] = try bytes { fgetxattr(descriptor, terminated(name), $0.baseAddress, $0.count) }
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

    private static func terminated(_ name: some Sequence<UInt8>) -> [CChar] { name.map { CChar(bitPattern: $0) } + [0] }

    private static func checked(_ code: Int) throws(Refused) -> Int {
        guard code >= 0 else { throw Refused(code: Int(errno)) }
        return code
    }
    #endif
}
