/// Page: corelocation/cllocationdegrees.
@available(macOS 10.6, iOS 2.0, watchOS 2.0, visionOS 1.0, *)
public typealias CLLocationDegrees = Double

/// Page: corelocation/cllocationcoordinate2d [not verified: Sendable].
@available(macOS 10.6, iOS 2.0, watchOS 2.0, visionOS 1.0, *)
public struct CLLocationCoordinate2D: Sendable {
    /// Page: corelocation/cllocationcoordinate2d/latitude.
    public var latitude: CLLocationDegrees

    /// Page: corelocation/cllocationcoordinate2d/longitude [not verified].
    public var longitude: CLLocationDegrees

    /// Page: corelocation/cllocationcoordinate2d/init().
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Page: corelocation/cllocationcoordinate2d/init(latitude:longitude:).
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}
