#if canImport(CoreLocation)
public import CoreLocation

extension Location {
    /// Makes a location from a coordinate.
    ///
    /// - Parameter coordinate: The coordinate, in degrees.
    /// - Throws: `RecordError.Code.invalidLocation` if it is not valid, such as
    ///   `kCLLocationCoordinate2DInvalid`.
    public init(_ coordinate: CLLocationCoordinate2D) throws {
        try self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }

    /// Makes a location from a Core Location one, without its altitude, accuracy and time.
    ///
    /// - Parameter location: The location.
    /// - Throws: `RecordError.Code.invalidLocation` if its coordinate is not valid.
    public init(_ location: CLLocation) throws {
        try self.init(location.coordinate)
    }
}

extension CLLocationCoordinate2D {
    /// Makes a coordinate from a location.
    ///
    /// - Parameter location: The location.
    public init(_ location: Location) {
        self.init(latitude: location.latitude, longitude: location.longitude)
    }
}

extension CLLocation {
    /// Makes a Core Location object from a location.
    ///
    /// - Parameter location: The location.
    public convenience init(_ location: Location) {
        self.init(latitude: location.latitude, longitude: location.longitude)
    }
}
#endif
