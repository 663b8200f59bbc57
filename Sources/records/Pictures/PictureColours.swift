/// The colours of types: a ground and a border that dark text can be read on, and those for light text.
struct PictureColours: Sendable {
    let light: (ground: String, border: String)
    let dark: (ground: String, border: String)

    /// One for each type; where there are more types colours repeat.
    static let palette = [
        PictureColours(light: ("#dbeafe", "#2563eb"), dark: ("#172f57", "#6ea8fe")),
        PictureColours(light: ("#dcfce7", "#15803d"), dark: ("#12351f", "#5bd38a")),
        PictureColours(light: ("#fef3c7", "#b45309"), dark: ("#3d2b0b", "#f0b449")),
        PictureColours(light: ("#fce7f3", "#be185d"), dark: ("#43142d", "#f38cc0")),
        PictureColours(light: ("#ede9fe", "#6d28d9"), dark: ("#2c1f57", "#b79cff")),
        PictureColours(light: ("#cffafe", "#0e7490"), dark: ("#0b333c", "#4fd0e6")),
        PictureColours(light: ("#fee2e2", "#b91c1c"), dark: ("#421818", "#ff8f8f")),
        PictureColours(light: ("#e5e7eb", "#4b5563"), dark: ("#2b3139", "#a5b0bd")),
    ]
}
