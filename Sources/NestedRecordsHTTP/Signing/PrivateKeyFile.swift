import Foundation
import NestedRecords

/// A private key out of its PEM text (RFC 7468).
///
/// The library checks the form itself: Security needs the key without its wrapping, and OpenSSL would accept more than
/// Security and ask for a passphrase on the terminal.
struct PrivateKeyFile {
    enum Kind { case rsa, ellipticCurve }

    /// The forms by their labels, without spaces.
    private enum Form: String {
        case pkcs8 = "PRIVATEKEY"
        case pkcs1 = "RSAPRIVATEKEY"
        case sec1 = "ECPRIVATEKEY"
        case encrypted = "ENCRYPTEDPRIVATEKEY"
    }

    let kind: Kind

    /// The content of the text, which OpenSSL reads.
    let content: [UInt8]

    /// The form that Security reads: PKCS#1 for RSA, and `04 || X || Y || K` of X9.63 for an elliptic curve.
    ///
    /// https://developer.apple.com/documentation/security/seckeycopyexternalrepresentation(_:_:) and
    /// https://developer.apple.com/forums/thread/680572
    let key: [UInt8]

    /// - Throws: `RecordDatabaseError` with the code `invalidOptions`; no error has a part of the text.
    init(_ pem: String) throws {
        let begin = "-----BEGIN"
        // Copied text may have spaces around its lines (RFC 7468, section 2).
        let lines = pem.utf8.split { byte in byte == 0x0A || byte == 0x0D }.map { bytes in
            String(decoding: bytes.filter { byte in byte != 0x20 && byte != 0x09 }, as: UTF8.self)
        }
        let isBoundary = { (line: String) in
            line.utf8.starts(with: begin.utf8) && line.utf8.suffix(15).elementsEqual("PRIVATEKEY-----".utf8)
        }
        guard let first = lines.firstIndex(where: isBoundary) else {
            throw RecordDatabaseError(.invalidOptions, reason: "the text has no private key in the form PEM")
        }
        let label = String(decoding: lines[first].utf8.dropFirst(begin.utf8.count).dropLast(5), as: UTF8.self)
        let body = lines[(first + 1)...].prefix { line in line != "-----END\(label)-----" }
        let form = Form(rawValue: label)
        // Before PKCS#8, headers of the text said how it is encrypted (RFC 1421, section 4.6).
        if form == .encrypted || body.contains(where: { line in line.utf8.contains(UInt8(ascii: ":")) }) {
            throw RecordDatabaseError(
                .invalidOptions, reason: "the private key is encrypted; 'openssl pkey' writes it without encryption")
        }
        guard body.endIndex < lines.endIndex, let data = Data(base64Encoded: body.joined()) else {
            throw DERReader.malformed
        }
        content = Array(data)
        switch form {
        case .pkcs8: (kind, key) = try Self.pkcs8(content[...])
        case .pkcs1: (kind, key) = (.rsa, try Self.pkcs1(content[...]))
        case .sec1: (kind, key) = (.ellipticCurve, try Self.sec1(content[...], isInPKCS8: false))
        case .encrypted, nil: throw Self.otherAlgorithm
        }
    }

    private static var otherAlgorithm: RecordDatabaseError {
        RecordDatabaseError(
            .invalidOptions, reason: "the private key is neither one of RSA nor one of the elliptic curve P-256")
    }
}

// MARK: Forms

extension PrivateKeyFile {
    // RFC 8017, appendix C; RFC 5480, sections 2.1.1 and 2.1.1.1.
    private static let rsa: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ellipticCurve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let p256: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// RFC 5208, section 5.
    private static func pkcs8(_ bytes: ArraySlice<UInt8>) throws -> (Kind, [UInt8]) {
        try DERReader.all(of: bytes) { file in
            try file.elements(of: .sequence) { info in
                guard try info.content(of: .integer) == [0] else { throw DERReader.malformed }
                let kind = try info.elements(of: .sequence, Self.algorithm)
                let key = try info.content(of: .octetString)
                // Attributes, which say nothing about the key.
                if info.begins(with: .context0) { _ = try info.content(of: .context0) }
                return (kind, kind == .rsa ? try pkcs1(key) : try sec1(key, isInPKCS8: true))
            }
        }
    }

    private static func algorithm(_ reader: inout DERReader) throws -> Kind {
        let identifier = try reader.content(of: .objectIdentifier)
        if identifier.elementsEqual(rsa) {
            guard try reader.content(of: .null).isEmpty else { throw DERReader.malformed }
            return .rsa
        }
        guard identifier.elementsEqual(ellipticCurve),
            try reader.content(of: .objectIdentifier).elementsEqual(p256)
        else {
            throw otherAlgorithm
        }
        return .ellipticCurve
    }

    /// RFC 8017, appendix A.1.2: a version and eight numbers.
    private static func pkcs1(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
        try DERReader.all(of: bytes) { file in
            try file.elements(of: .sequence) { key in
                guard try key.content(of: .integer) == [0] else { throw DERReader.malformed }
                for _ in 0..<8 {
                    guard let sign = try key.content(of: .integer).first, sign < 0x80 else { throw DERReader.malformed }
                }
            }
        }
        return Array(bytes)
    }

    /// RFC 5915, section 3.
    private static func sec1(_ bytes: ArraySlice<UInt8>, isInPKCS8: Bool) throws -> [UInt8] {
        try DERReader.all(of: bytes) { file in
            try file.elements(of: .sequence) { key in
                guard try key.content(of: .integer) == [1] else { throw DERReader.malformed }
                let secret = try key.content(of: .octetString)
                if !isInPKCS8 || key.begins(with: .context0) {
                    let curve = try key.elements(of: .context0) { try $0.content(of: .objectIdentifier) }
                    guard curve.elementsEqual(p256) else { throw otherAlgorithm }
                }
                // Optional in the form, and necessary for Security.
                let point = try key.elements(of: .context1) { try $0.content(of: .bitString) }
                // No unused bits, and both coordinates (SEC 1, section 2.3.3).
                guard secret.count == 32, point.count == 66, point.starts(with: [0, 4]) else {
                    throw DERReader.malformed
                }
                return Array(point.dropFirst() + secret)
            }
        }
    }
}
