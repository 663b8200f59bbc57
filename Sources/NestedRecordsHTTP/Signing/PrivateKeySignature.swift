#if canImport(Security) || OpenSSL
package import Foundation
import NestedRecords

#if canImport(Security)
import Security
#else
import COpenSSL
#endif

/// Signatures with a private key, made by Security on Apple's systems and by OpenSSL elsewhere.
///
/// The enumeration is declared only where one of them is: without the package trait `OpenSSL` the compiler, and not the
/// first request for a token, reports that signing is missing.
package enum PrivateKeySignature {
    /// Signs bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes, which are hashed with SHA-256.
    ///   - pem: The PEM text of an unencrypted key: PKCS#8, PKCS#1 or SEC 1.
    /// - Returns: RSASSA-PKCS1-v1_5 for a key of RSA; ECDSA in DER for a key of the elliptic curve P-256.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions` for another text or key; no error has a part of it.
    package static func signature(of bytes: Data, key pem: String) throws -> Data {
        guard let signature = signature(of: bytes, try PrivateKeyFile(pem)) else {
            throw RecordDatabaseError(.invalidOptions, reason: "the private key does not sign: its numbers are damaged")
        }
        return signature
    }

    /// Throws unless a key is one of the elliptic curve P-256.
    ///
    /// - Parameter pem: The PEM text of the key.
    /// - Throws: `RecordDatabaseError` with the code `invalidOptions`; no error has a part of the text.
    package static func checkIsOfCurve(_ pem: String) throws {
        if try PrivateKeyFile(pem).kind == .ellipticCurve { return }
        throw RecordDatabaseError(.invalidOptions, reason: "the key is not one of the elliptic curve P-256")
    }

    #if canImport(Security)
    private static func signature(of bytes: Data, _ file: PrivateKeyFile) -> Data? {
        let type = file.kind == .rsa ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom
        let attributes: [String: Any] = [
            kSecAttrKeyType as String: type, kSecAttrKeyClass as String: kSecAttrKeyClassPrivate,
        ]
        guard let key = SecKeyCreateWithData(Data(file.key) as CFData, attributes as CFDictionary, nil) else {
            return nil
        }
        let algorithm: SecKeyAlgorithm =
            file.kind == .rsa ? .rsaSignatureMessagePKCS1v15SHA256 : .ecdsaSignatureMessageX962SHA256
        return SecKeyCreateSignature(key, algorithm, bytes as CFData, nil) as Data?
    }
    #else
    // https://docs.openssl.org/3.0/man3/d2i_PrivateKey/ and https://docs.openssl.org/3.0/man3/EVP_DigestSignInit/
    private static func signature(of bytes: Data, _ file: PrivateKeyFile) -> Data? {
        // The errors of a thread are those of all users of OpenSSL in the process, such as connections with TLS.
        defer { ERR_clear_error() }
        let key = file.content.withUnsafeBufferPointer { content in
            var start = content.baseAddress
            return d2i_AutoPrivateKey(nil, &start, content.count)
        }
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        let message = Array(bytes)
        var count = 0
        guard key != nil, context != nil, EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        // A signature of ECDSA may be shorter than the longest one.
        return Data(signature.prefix(count))
    }
    #endif
}
#endif
