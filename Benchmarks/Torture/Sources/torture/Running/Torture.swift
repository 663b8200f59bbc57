#if !FUZZ
import Foundation

// Tries to make the library lose or corrupt data, for a time: torture <seconds> <seed> <folder>. Each kind of
// trial runs in a program of its own, which notes the seed of each trial in a file before the trial: so a crash has a
// seed too. First come the controls, which show that the trials see defects.

@main
struct Torture {
    static func main() async {
        let arguments = CommandLine.arguments
        do {
            switch arguments.dropFirst().first {
            #if PostgreSQL
            case "--cluster": try await ClusterRoles.play(arguments[2], path: arguments[3])
            #endif
            case "--role": await Roles.play(arguments[2], path: arguments[3])
            case "--trials": try await Worker(arguments).run()
            default: try await Supervisor(arguments).run()
            }
        } catch {
            say("\(error)")
            exit(1)
        }
    }
}
#endif
