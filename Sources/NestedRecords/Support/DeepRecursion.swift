#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Keeps deep values from overflowing the stack: the recursion continues in a new thread every few hundred levels.
///
/// A level takes 1 KiB of stack in a release build and up to 5 KiB in a debug build, more under a sanitizer. The first
/// levels fit on the smallest stack of a caller (512 KiB); a new thread has 64 KiB for each of its 256 levels, of which
/// the system only provides the pages in use. Task-local values are not visible in it.
final class DeepRecursion: UncheckedObject<DeepRecursion.State> {
    #if DEBUG
    private static let levelsInPlace = 32
    #else
    private static let levelsInPlace = 128
    #endif
    private static let levelsPerThread = 256
    private static let bytesPerLevel = 64 << 10

    /// Lists continue in a new thread this many levels early, so that their elements need no thread each.
    private static let listMargin = 8

    struct State {
        /// The number of open levels when the current thread began, and the number that it has room for.
        fileprivate var start = 0
        fileprivate var room = DeepRecursion.levelsInPlace
    }

    init() { super.init(State()) }

    /// Runs the closure, which adds a level to those on the stack; a list may contain many levels.
    @inline(__always)
    func run<Result>(atDepth depth: Int, isList: Bool = false, _ body: () throws -> Result) throws -> Result {
        if depth - state.start < (isList ? state.room - Self.listMargin : state.room) { return try body() }
        return try continueOnNewThread(atDepth: depth, body)
    }

    @inline(never)
    private func continueOnNewThread<Result>(atDepth depth: Int, _ body: () throws -> Result) throws -> Result {
        let outer = state
        state = State(start: depth, room: Self.levelsPerThread)
        defer { state = outer }
        return try Self.runInNewThread(body)
    }

    private final class Job {
        let run: () -> Void
        init(run: @escaping () -> Void) { self.run = run }
    }

    static func runInNewThread<Result>(_ body: () throws -> Result) throws -> Result {
        try withoutActuallyEscaping(body) { body in
            var result: Swift.Result<Result, any Error>?
            let job = Job { result = Swift.Result { try body() } }
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setstacksize(&attributes, levelsPerThread * bytesPerLevel)
            #if canImport(Darwin)
            var thread: pthread_t?
            #else
            var thread = pthread_t()
            #endif
            // The caller waits for the thread, so the two never use the closure's captures at the same time.
            let code = pthread_create(&thread, &attributes, startRoutine, Unmanaged.passUnretained(job).toOpaque())
            guard code == 0 else { throw DeepRecursionError.noThread(errno: code) }
            #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
            #else
            pthread_join(thread, nil)
            #endif
            guard let result else { throw DeepRecursionError.noThread(errno: 0) }
            return try result.get()
        }
    }

    #if canImport(Darwin)
    private static let startRoutine: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
        Unmanaged<Job>.fromOpaque($0).takeUnretainedValue().run()
        return nil
    }
    #else
    private static let startRoutine: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        if let job = $0 { Unmanaged<Job>.fromOpaque(job).takeUnretainedValue().run() }
        return nil
    }
    #endif
}

/// Why a deep value could not be coded although its depth is within the limit.
enum DeepRecursionError: Error, CustomStringConvertible {
    case noThread(errno: Int32)

    var description: String {
        switch self {
        case .noThread(let code): "no thread could be started for a deeply nested value (error \(code))"
        }
    }
}
