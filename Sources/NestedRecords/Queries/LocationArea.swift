// The trigonometric functions come from the system's C library.
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(WASILibc)
import WASILibc
#elseif os(Windows)
import ucrt
#endif

/// An area of the earth between two latitudes and two longitudes.
public struct LocationBox: Sendable, Hashable {
    /// The corner with the smallest latitude, and the longitude where the box begins.
    public let southWest: Location

    /// The corner with the greatest latitude, and the longitude where the box ends, going east.
    public let northEast: Location

    /// Makes a box.
    ///
    /// A box crosses the 180th meridian if it begins at a greater longitude than it ends.
    ///
    /// - Parameters:
    ///   - southWest: The south-west corner.
    ///   - northEast: The north-east corner.
    public init(southWest: Location, northEast: Location) {
        self.southWest = southWest
        self.northEast = northEast
    }

    /// Returns whether a location is in the box or on its edge.
    ///
    /// - Parameter location: The location.
    public func contains(_ location: Location) -> Bool {
        guard (southWest.latitude...max(southWest.latitude, northEast.latitude)).contains(location.latitude),
            location.latitude <= northEast.latitude
        else { return false }
        let (west, east) = (southWest.longitude, northEast.longitude)
        return west <= east
            ? west <= location.longitude && location.longitude <= east
            : location.longitude >= west || location.longitude <= east
    }
}

extension LocationBox: CustomStringConvertible {
    /// The two corners.
    public var description: String { "\(southWest) to \(northEast)" }
}

extension Location {
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
