extension Duration {
    /// This duration as one to sleep for: at least a millisecond, at most a year, because a sleep of centuries traps.
    package var asPause: Duration { min(max(self, .milliseconds(1)), .seconds(365 * 86_400)) }

    /// The duration in seconds, with fractions.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
