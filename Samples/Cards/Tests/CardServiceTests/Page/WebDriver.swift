import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

@testable import CardService

/// A program that starts windows of Chromium and drives them: HTTP with JSON, as the standard WebDriver says.
final class WebDriver: Sendable {
    private let process: Process
    private let address: String

    /// The folder for the temporary files of the programs.
    private let folder: URL

    /// Whether Chromium and its driver are installed.
    static var isInstalled: Bool { driver != nil && chromium != nil }

    private static var driver: URL? { program("chromedriver") }
    private static var chromium: URL? { program("chromium") }

    private static func program(_ name: String) -> URL? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private init() throws {
        let (process, output) = (Process(), Pipe())
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("cards-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) { $1 }
        process.executableURL = Self.driver
        process.arguments = ["--port=0"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It says the port when it is ready.
        var text = ""
        while !text.contains(/on port \d+\./) {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw WebDriverError("chromedriver does not start: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        let port = text.firstMatch(of: /on port (\d+)\./)?.output.1 ?? ""
        (self.process, address) = (process, "http://localhost:\(port)")
    }

    /// Runs a test with a number of windows, and closes them and their programs after it.
    static func withWindows(_ count: Int, _ test: ([Window]) async throws -> Void) async throws {
        let driver = try WebDriver()
        var windows: [Window] = []
        let result: Result<Void, any Error>
        do {
            for _ in 0..<count { windows.append(try await driver.open()) }
            result = .success(try await test(windows))
        } catch {
            result = .failure(error)
        }
        // A task of its own: that of the test may be cancelled.
        await Task { [windows] in for window in windows { await window.close() } }.value
        // The threads of tests block the signal to terminate, and so do the programs that they start.
        kill(driver.process.processIdentifier, SIGKILL)
        driver.process.waitUntilExit()
        try? FileManager.default.removeItem(at: driver.folder)
        try result.get()
    }

    private func open() async throws -> Window {
        let arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
        let options = JSONValue.object([
            "binary": .string(Self.chromium?.path ?? ""), "args": .list(arguments.map { .string($0) }),
        ])
        let wanted = JSONValue.object([
            "goog:chromeOptions": options, "goog:loggingPrefs": .object(["browser": .string("ALL")]),
        ])
        let body = JSONValue.object(["capabilities": .object(["alwaysMatch": wanted])])
        let answer = try await send(.POST, "/session", body)
        guard let session = answer["sessionId"]?.text else { throw WebDriverError("There is no session: \(answer)") }
        var process: pid_t?
        if case .integer(let id)? = answer["capabilities"]?["goog:processID"] { process = pid_t(id) }
        return Window(driver: self, path: "/session/\(session)", process: process)
    }

    /// Sends a command and returns its value.
    fileprivate func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        if let body { request.body = .bytes(ByteBuffer(bytes: try JSON.encoder.encode(body))) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let bytes = try await response.body.collect(upTo: 16 << 20)
        let value = try JSON.decoder.decode(JSONValue.self, from: Data(bytes.readableBytesView))["value"] ?? .null
        guard response.status == .ok else { throw WebDriverError("\(path): \(value["message"]?.text ?? "")") }
        return value
    }
}

/// A window of the browser, with a storage of its own.
struct Window: Sendable {
    fileprivate let driver: WebDriver
    fileprivate let path: String
    fileprivate let process: pid_t?

    /// A key that is no character.
    enum Key: String {
        case tab = "\u{E004}"
        case enter = "\u{E007}"
        case escape = "\u{E00C}"
    }

    func open(_ address: String) async throws { try await send("/url", ["url": .string(address)]) }

    /// Clicks the first element that is seen and has a text.
    func click(_ selector: String, _ text: String = "") async throws {
        try await send("/element/\(element(selector, text))/click", [:])
    }

    /// Replaces the text of an input.
    func fill(_ selector: String, _ text: String) async throws {
        let element = try await element(selector, "")
        try await send("/element/\(element)/clear", [:])
        try await send("/element/\(element)/value", ["text": .string(text)])
    }

    /// Chooses a file.
    func choose(_ file: URL, in selector: String) async throws {
        try await send("/element/\(element(selector, ""))/value", ["text": .string(file.path)])
    }

    /// Types at the element that has the focus.
    func type(_ text: String) async throws {
        let active = try await run("return document.activeElement")
        try await send("/element/\(Self.id(of: active))/value", ["text": .string(text)])
    }

    func press(_ key: Key) async throws { try await type(key.rawValue) }

    /// The texts of all elements that are seen; of inputs their values.
    func texts(_ selector: String) async throws -> [String] {
        let script = Self.seen + "return seen(arguments[0], '').map(text)"
        guard case .list(let list) = try await run(script, [.string(selector)]) else { return [] }
        return list.compactMap(\.text)
    }

    /// Waits until the texts of the elements that are seen are as wanted.
    func wait(for selector: String, _ isWanted: ([String]) -> Bool) async throws {
        var last: [String] = []
        _ = try await Self.wait {
            last = try await texts(selector)
            return isWanted(last) ? true : nil
        } otherwise: {
            "'\(selector)' has the texts \(last)"
        }
    }

    /// Waits until an element that is seen has a text.
    func wait(for selector: String, _ text: String) async throws {
        try await wait(for: selector) { $0.contains { $0.contains(text) } }
    }

    /// Waits until an image is shown whose picture has a width.
    func wait(forWidth width: Int64, of selector: String) async throws {
        let script = "const image = document.querySelector(arguments[0]); return image.hidden ? 0 : image.naturalWidth"
        var last = JSONValue.null
        _ = try await Self.wait {
            last = try await run(script, [.string(selector)])
            return last == .integer(width) ? true : nil
        } otherwise: {
            "'\(selector)' has the width \(last)"
        }
    }

    /// Runs a script and returns its result.
    @discardableResult
    func run(_ script: String, _ arguments: [JSONValue] = []) async throws -> JSONValue {
        try await send("/execute/sync", ["script": .string(script), "args": .list(arguments)])
    }

    /// What the browser has to say about the page, such as violations of its policy.
    func log() async throws -> [String] {
        guard case .list(let entries) = try await send("/se/log", ["type": .string("browser")]) else { return [] }
        return entries.compactMap { $0["message"]?.text }
    }

    fileprivate func close() async {
        _ = try? await driver.send(.DELETE, path)
        if let process { kill(process, SIGKILL) }
    }

    @discardableResult
    private func send(_ command: String, _ body: [String: JSONValue]) async throws -> JSONValue {
        try await driver.send(.POST, path + command, .object(body))
    }

    private func element(_ selector: String, _ text: String) async throws -> String {
        try await Self.wait {
            let found = try await run(Self.seen + "return seen(...arguments)[0]", [.string(selector), .string(text)])
            return found == .null ? nil : Self.id(of: found)
        } otherwise: {
            "'\(selector)' with the text '\(text)' is not seen"
        }
    }

    private static let seen = """
        const text = (element) => element.matches('input, textarea') ? element.value : element.innerText;
        const seen = (selector, wanted) => [...document.querySelectorAll(selector)]
            .filter((element) => element.checkVisibility() && text(element).includes(wanted));

        """

    /// The ID of an element that a script returned.
    private static func id(of element: JSONValue) -> String {
        if case .object(let members) = element { members.values.first?.text ?? "" } else { "" }
    }

    private static func wait<Value>(
        for value: () async throws -> Value?, otherwise failure: () -> String
    ) async throws -> Value {
        let end = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < end {
            if let found = try await value() { return found }
            try await Task.sleep(for: .milliseconds(30))
        }
        throw WebDriverError(failure())
    }
}

/// What a window does not do or does not show.
struct WebDriverError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
