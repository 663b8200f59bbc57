/// A place on the earth, in degrees.
///
/// Records store it as a value of its own kind; other coders use the string ``description``.
public struct Location: Sendable, Hashable {
    /// Degrees north of the equator, −90 to 90.
    public let latitude: Double

    /// Degrees east of Greenwich, −180 to 180.
    public let longitude: Double

    /// Makes a location.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north of the equator, −90 to 90.
    ///   - longitude: Degrees east of Greenwich, −180 to 180.
    /// - Throws: `RecordError.Code.invalidLocation` if a coordinate is out of range or not a number.
    public init(latitude: Double, longitude: Double) throws {
        let isLatitude = (-90...90).contains(latitude)
        guard isLatitude, (-180...180).contains(longitude) else {
            let range = isLatitude ? "longitude is not between −180 and 180" : "latitude is not between −90 and 90"
            throw RecordError.invalidLocation("\(latitude);\(longitude)", reason: "the \(range) degrees")
        }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// Makes a location from the nearest valid coordinates: for constants, which need no `try`.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north of the equator, limited to −90 to 90; 0 for not-a-number.
    ///   - longitude: Degrees east of Greenwich, limited to −180 to 180; 0 for not-a-number.
    public init(clampingLatitude latitude: Double, longitude: Double) {
        self.latitude = latitude.isNaN ? 0 : min(max(latitude, -90), 90)
        self.longitude = longitude.isNaN ? 0 : min(max(longitude, -180), 180)
    }

    /// Reads a location from its string form.
    ///
    /// - Parameter text: Latitude and longitude as decimal numbers with a semicolon between them: `57.05;-5.13`.
    /// - Throws: `RecordError.Code.invalidLocation` if the string has another form or a coordinate is out of
    ///   range.
    public init(_ text: String) throws {
        let parts = text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Substring.init)
        guard parts.count == 2, let latitude = Self.degrees(parts[0]), let longitude = Self.degrees(parts[1]) else {
            throw RecordError.invalidLocation(text, reason: "the form is two decimal numbers: latitude;longitude")
        }
        try self.init(latitude: latitude, longitude: longitude)
    }

    // `Double` also reads hexadecimal numbers, infinities and other forms that coordinates do not have.
    private static func degrees(_ text: Substring) -> Double? {
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }) else { return nil }
        return Double(text)
    }
}

extension Location: CustomStringConvertible {
    /// The string form, `latitude;longitude`, with the fewest digits that read back exactly.
    public var description: String { "\(latitude);\(longitude)" }
}

extension Location: Codable {
    /// Reads the string form.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if the string is not a location.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }

    /// Writes the string form.
    public func encode(to encoder: any Encoder) throws {
        try description.encode(to: encoder)
    }
}
