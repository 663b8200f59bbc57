// The trigonometric functions come from the system's C library.
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Record.Value {
    /// The location that this is, or that its string form states.
    ///
    /// A location property with the string `0;0` is stored as this string, because ``Location`` writes it as `0.0;0.0`.
    var asPlace: Location? {
        if case .location(let location) = self { return location }
        guard case .string(let text) = self, text.utf8.contains(UInt8(ascii: ";")) else { return nil }
        return try? Location(text)
    }
}

extension Location {
    /// Whether this location is in a box, or on its edge.
    ///
    /// A box crosses the 180th meridian if it begins at a greater longitude than it ends.
    func isWithin(_ southWest: Location, _ northEast: Location) -> Bool {
        guard southWest.latitude <= latitude, latitude <= northEast.latitude else { return false }
        let (west, east) = (southWest.longitude, northEast.longitude)
        return west <= east ? west <= longitude && longitude <= east : longitude >= west || longitude <= east
    }

    /// The mean radius of the earth in metres, as the International Union of Geodesy and Geophysics defines it.
    private static let earthRadius = 6_371_008.8

    /// The distance in metres, by the haversine formula on a sphere of the size of the earth.
    ///
    /// The earth is not a sphere: the error may be half a percent.
    ///
    /// - Parameter other: The other location.
    public func distance(to other: Location) -> Double {
        let radians = Double.pi / 180
        let (a, b) = (latitude * radians, other.latitude * radians)
        let (north, east) = (sin((b - a) / 2), sin((other.longitude - longitude) * radians / 2))
        return 2 * Self.earthRadius * asin(min(1, (north * north + cos(a) * cos(b) * east * east).squareRoot()))
    }
}
