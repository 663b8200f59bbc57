#if PostgreSQL
extension Duration {
    /// The seconds with their fractions.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
#endif
