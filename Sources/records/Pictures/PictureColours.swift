/// The colours of a type: a ground and a border for dark text, and a ground and a border for light text.
struct PictureColours: Sendable {
    let light: (ground: String, border: String)
    let dark: (ground: String, border: String)

    /// As many colours as people distinguish: seven hues and grey, in two tones.
    static let palette = [
        PictureColours(light: ("#feeae3", "#bc3f06"), dark: ("#3d1c11", "#ffa384")),
        PictureColours(light: ("#fbeec9", "#876b01"), dark: ("#312500", "#dbba5c")),
        PictureColours(light: ("#dcf8d9", "#1f8515"), dark: ("#162d13", "#90d189")),
        PictureColours(light: ("#c9faf8", "#027f7e"), dark: ("#022d2d", "#45d6d3")),
        PictureColours(light: ("#e2f1fe", "#0474b6"), dark: ("#0a293f", "#80c5ff")),
        PictureColours(light: ("#f0ebff", "#7a53c4"), dark: ("#29203e", "#c4aeff")),
        PictureColours(light: ("#ffe7f2", "#b03a80"), dark: ("#3a1a2b", "#f79dcc")),
        PictureColours(light: ("#ebebeb", "#52555b"), dark: ("#2a2b2e", "#aaaeb4")),
        PictureColours(light: ("#fba589", "#752200"), dark: ("#6a2811", "#df5f32")),
        PictureColours(light: ("#d9bb66", "#524003"), dark: ("#4f3d03", "#aa8804")),
        PictureColours(light: ("#95d08e", "#085202"), dark: ("#1a4c16", "#44a43b")),
        PictureColours(light: ("#57d4d1", "#034d4c"), dark: ("#034a49", "#0ba09e")),
        PictureColours(light: ("#80c5ff", "#024670"), dark: ("#01436c", "#0193e5")),
        PictureColours(light: ("#c4affd", "#4a2e7e"), dark: ("#45326e", "#9772e6")),
        PictureColours(light: ("#f2a0cb", "#701b4f"), dark: ("#642649", "#d35a9f")),
        PictureColours(light: ("#b7b7b7", "#2e2e2e"), dark: ("#424242", "#808080")),
    ]

    /// The number of each type's colours in a picture of some types.
    ///
    /// A hash of the name is the first choice. If a type before it in the order of the names has these colours, the type
    /// has the next free ones. After all are taken, they are all free again.
    static func numbers(of types: some Sequence<String>) -> [String: Int] {
        var taken: Set<Int> = []
        var numbers: [String: Int] = [:]
        for type in Set(types).sorted() {
            if taken.count == palette.count { taken = [] }
            // FNV-1a: the hashes of the standard library differ from process to process.
            let hash = type.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            var number = Int((hash ^ (hash >> 32)) % UInt64(palette.count))
            while taken.contains(number) { number = (number + 1) % palette.count }
            taken.insert(number)
            numbers[type] = number
        }
        return numbers
    }
}
