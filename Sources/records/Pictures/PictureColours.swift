/// The colours of a type: a ground and a border for dark text, and a ground and a border for light text.
struct PictureColours: Sendable {
    let light: (ground: String, border: String)
    let dark: (ground: String, border: String)

    /// The colours that types have; two types may have the same.
    static let palette = [
        PictureColours(light: ("#dbeafe", "#2563eb"), dark: ("#172f57", "#6ea8fe")),
        PictureColours(light: ("#dcfce7", "#15803d"), dark: ("#12351f", "#5bd38a")),
        PictureColours(light: ("#fef3c7", "#b45309"), dark: ("#3d2b0b", "#f0b449")),
        PictureColours(light: ("#fce7f3", "#be185d"), dark: ("#43142d", "#f38cc0")),
        PictureColours(light: ("#ede9fe", "#6d28d9"), dark: ("#2c1f57", "#b79cff")),
        PictureColours(light: ("#cffafe", "#0e7490"), dark: ("#0b333c", "#4fd0e6")),
        PictureColours(light: ("#fee2e2", "#b91c1c"), dark: ("#421818", "#ff8f8f")),
        PictureColours(light: ("#e5e7eb", "#4b5563"), dark: ("#2b3139", "#a5b0bd")),
        PictureColours(light: ("#ecfccb", "#4d7c0f"), dark: ("#27340d", "#a9d94f")),
        PictureColours(light: ("#ffedd5", "#c2410c"), dark: ("#43220c", "#ff9d62")),
        PictureColours(light: ("#fae8ff", "#a21caf"), dark: ("#3c1345", "#e58cf3")),
    ]

    /// The number of a type's colours: a hash of its name, so that a type has the same colours in every picture.
    static func number(of type: String) -> Int {
        // FNV-1a: the hashes of the standard library differ from process to process.
        let hash = type.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int((hash ^ (hash >> 32)) % UInt64(palette.count))
    }
}
