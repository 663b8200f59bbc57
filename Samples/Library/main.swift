try await LibraryWalk { print($0) }.run()
