extension Int {
    /// The number with a noun: `1 record`, `2 records`.
    package func counted(_ singular: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? singular : plural ?? singular + "s")"
    }
}
