extension Duration {
    /// This time as one to sleep for: at least a millisecond, and at most a year, because a sleep of centuries is a trap.
    package var asPause: Duration { min(max(self, .milliseconds(1)), .seconds(365 * 86_400)) }

    /// The seconds with their fractions.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
