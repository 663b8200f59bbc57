import AsyncAlgorithms
import ServiceLifecycle

/// Removes the bytes of pictures that no card has any more, at the start and then each hour.
struct PictureCollection: Service {
    let access: Access

    func run() async throws {
        await access.collectPictures()
        let hours = AsyncTimerSequence(interval: .seconds(3_600), clock: .continuous)
        for await _ in hours.cancelOnGracefulShutdown() { await access.collectPictures() }
    }
}
