import Foundation
import NestedRecords
import TestSupport
import Testing

@testable import NestedRecordsHTTP

@Suite(.enabled(if: OpenSSLCommand.path != nil, "there is no openssl to make keys"))
struct PrivateKeyFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func rsa() throws -> String {
        try OpenSSLCommand.makeKey("RSA", "rsa_keygen_bits:2048", at: folder.path("rsa.pem"))
    }

    private func ellipticCurve() throws -> String {
        try OpenSSLCommand.makeKey("EC", "ec_paramgen_curve:P-256", at: folder.path("ec.pem"))
    }

    private func text(_ arguments: [String], of file: String) throws -> String {
        _ = try OpenSSLCommand.run(["pkey", "-in", folder.path(file), "-out", folder.path("out.pem")] + arguments)
        return String(decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path("out.pem"))), as: UTF8.self)
    }

    private func pem(_ label: String, _ bytes: some Sequence<UInt8>) -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// The reason of the refusal, which has no line of the text.
    private func refusal(of text: String) throws -> String {
        do {
            _ = try PrivateKeyFile(text)
        } catch let error as RecordDatabaseError {
            #expect(error.code == .invalidOptions)
            let lines = text.split(separator: "\n").filter { $0.utf8.count > 30 }
            #expect(!lines.contains { "\(error)".contains($0) })
            return error.reason ?? ""
        }
        return "none"
    }

    @Test func keyOfRSAIsThatOfPKCS1() throws {
        let file = try PrivateKeyFile(rsa())
        #expect(file.kind == .rsa)
        let path = folder.path("rsa.pem")
        #expect(try file.key == Array(OpenSSLCommand.run("rsa", "-in", path, "-traditional", "-outform", "DER")))
        #expect(try PrivateKeyFile(text(["-traditional"], of: "rsa.pem")).key == file.key)
    }

    @Test func keyOfACurveIsThePointAndTheNumber() throws {
        let file = try PrivateKeyFile(ellipticCurve())
        #expect(file.kind == .ellipticCurve && file.key.count == 97 && file.key.first == 4)
        let path = folder.path("ec.pem")
        let point = try OpenSSLCommand.run("pkey", "-in", path, "-pubout", "-outform", "DER").suffix(65)
        #expect(file.key.starts(with: point))
        #expect(file.content.firstRange(of: file.key.suffix(32)) != nil)
        let traditional = try text(["-traditional"], of: "ec.pem")
        #expect(try PrivateKeyFile(traditional).key == file.key)
        // As 'openssl ecparam -genkey' writes it.
        let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
        #expect(try PrivateKeyFile(parameters + traditional).key == file.key)
    }

    @Test func linesMayHaveSpacesAndOtherEnds() throws {
        let text = try rsa()
        let copied = text.split(separator: "\n").map { "  \($0)\t\r\n" }.joined()
        #expect(try PrivateKeyFile("note\n\n" + copied + "more").content == PrivateKeyFile(text).content)
    }

    @Test func otherKeysAreRefused() throws {
        let algorithm = "the private key is neither one of RSA nor one of the elliptic curve P-256"
        for (name, option) in [
            ("ED25519", nil), ("EC", "ec_paramgen_curve:P-384"), ("RSA-PSS", "rsa_keygen_bits:1024"),
        ] {
            let text = try OpenSSLCommand.makeKey(name, option, at: folder.path("other.pem"))
            #expect(try refusal(of: text) == algorithm)
        }
        _ = try OpenSSLCommand.run("dsaparam", "-genkey", "-out", folder.path("dsa.pem"), "1024")
        #expect(try refusal(of: text([], of: "dsa.pem")) == algorithm)
        for text in ["", "key", pem("PUBLIC KEY", [1]), "-----BEGIN PRIVATE KEY"] {
            #expect(try refusal(of: text) == "the text has no private key in the form PEM")
        }
        #expect(try refusal(of: pem("DSA PRIVATE KEY", [1])) == algorithm)
    }

    @Test func encryptedKeyIsRefused() throws {
        _ = try rsa()
        for form in [[], ["-traditional"]] {
            let text = try text(["-aes256", "-passout", "pass:geheim"] + form, of: "rsa.pem")
            #expect(try refusal(of: text).hasPrefix("the private key is encrypted"))
        }
    }

    @Test func damagedKeyIsRefused() throws {
        let files = [
            ("PRIVATE KEY", try rsa()), ("RSA PRIVATE KEY", try text(["-traditional"], of: "rsa.pem")),
            ("PRIVATE KEY", try ellipticCurve()), ("EC PRIVATE KEY", try text(["-traditional"], of: "ec.pem")),
        ]
        let damaged = "the private key is damaged, or has an unexpected form"
        for (label, text) in files {
            let content = try PrivateKeyFile(text).content
            for count in Sweep.some(200, of: 0..<content.count) {
                #expect(try refusal(of: pem(label, content.prefix(count))) == damaged)
            }
            #expect(try refusal(of: pem(label, content + [0])) == damaged)
            // Without the last line, whose end may be missing.
            for count in stride(from: 0, to: text.utf8.count - 1, by: 7) {
                #expect(try refusal(of: String(decoding: text.utf8.prefix(count), as: UTF8.self)) != "none")
            }
            // A number can be another one; the form cannot.
            for position in Sweep.some(200, of: content.indices) {
                for byte: UInt8 in [0, 0x30, 0x7F, 0x80, 0x84, 0xFF] {
                    var changed = content
                    changed[position] = byte
                    _ = try refusal(of: pem(label, changed))
                }
            }
            #expect(try refusal(of: text.replacing("M", with: "*", maxReplacements: 1)) == damaged)
        }
    }
}
