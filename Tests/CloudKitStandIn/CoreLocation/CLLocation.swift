import Foundation

/// Page: corelocation/cllocation [not verified: superclass and Sendable].
@available(macOS 10.6, iOS 2.0, watchOS 2.0, visionOS 1.0, *)
public final class CLLocation: NSObject, Sendable {
    /// Page: corelocation/cllocation/coordinate.
    public let coordinate: CLLocationCoordinate2D

    /// Page: corelocation/cllocation/init(latitude:longitude:).
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}
