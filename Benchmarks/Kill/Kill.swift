import Foundation

// Kills a program that writes to a record file at random moments, and looks at what it leaves each time, then has
// another one go on with the same file:
//
// - The file holds one whole day, not before the last one that was acknowledged, and not behind the last one that was
//   begun; a verification has nothing to say.
// - While one program has the file open for writing, another one is refused, and is not once the first one is dead.
// - A program killed while it makes a file leaves the next one to make it, and no other file.
// - A reader beside them sees whole days alone, never goes backwards, and what it has seen is there afterwards.

@main
struct Kill {
    static func main() async {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[1] == "--role" { return await Roles.play(arguments[2], path: arguments[3]) }
        guard arguments.count == 3, let seconds = Double(arguments[1]) else {
            print("usage: kill <seconds> <folder>")
            exit(2)
        }
        var rounds = Rounds(folder: arguments[2])
        let end = Date() + seconds
        do {
            while Date() < end {
                try await rounds.next()
                if rounds.counts.kills.isMultiple(of: 100) { print(rounds.counts) }
            }
            print(rounds.counts)
        } catch {
            print("after \(rounds.counts.kills) kills: \(error)")
            exit(1)
        }
    }
}

/// What has happened so far.
struct Counts: CustomStringConvertible {
    var kills = 0
    var days = 0
    var inBatches = 0
    var inCompactions = 0
    var inIndexes = 0
    var inClosings = 0
    var inCreations = 0
    var tornTails = 0
    var tornBytes = 0
    var unacknowledged = 0
    var refused = 0
    var reads = 0

    var description: String {
        "\(kills) kills: \(inBatches) in batches, \(inCompactions) in compactions, \(inIndexes) in saving an index, "
            + "\(inClosings) in closings, \(inCreations) in creations; \(tornTails) torn tails cut, of \(tornBytes) bytes; "
            + "\(unacknowledged) whole batches that were not acknowledged; \(days) days; \(refused) locks refused; "
            + "\(reads) reads beside the writer"
    }
}
