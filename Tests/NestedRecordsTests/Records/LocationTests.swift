import Foundation
import NestedRecords
import TestSupport
import Testing

@Suite struct LocationTests {
    @Test(arguments: [
        (57.05, -5.13, 57.05, -5.13), (91, -181, 90, -180), (-.infinity, .infinity, -90, 180), (.nan, .nan, 0, 0),
        (-0.0, 180, -0.0, 180),
    ]) func coordinatesOfConstantsAreClamped(_ values: (Double, Double, Double, Double)) {
        let location = Location(clampingLatitude: values.0, longitude: values.1)
        #expect(location.latitude == values.2 && location.longitude == values.3)
    }

    @Test(arguments: [(0, 0), (90, 180), (-90, -180), (57.05, -5.13), (.leastNonzeroMagnitude, 0.1), (-0.0, 1e-7)])
    func textFormIsReadBackExactly(latitude: Double, longitude: Double) throws {
        let location = try Location(latitude: latitude, longitude: longitude)
        #expect(location.description == "\(latitude);\(longitude)")
        let read = try Location(location.description)
        #expect(read.latitude.bitPattern == latitude.bitPattern)
        #expect(read.longitude.bitPattern == longitude.bitPattern)
    }

    @Test func textFormHasTheFewestDigits() throws {
        #expect(try Location("057.0500;-005.1300").description == "57.05;-5.13")
        #expect(try Location("1;2").description == "1.0;2.0")
    }

    @Test func semicolonOfAnotherScriptIsRefused() {
        // As characters both are equal.
        let error = #expect(throws: RecordError.self) { try Location("1.0\u{37E}2.0") }
        #expect(error?.code == .invalidLocation)
    }

    @Test(arguments: [90.000_000_000_000_01, -90.000_000_000_000_01, 91, 1e300, .infinity, -.infinity, .nan])
    func latitudeIsBetweenThePoles(_ latitude: Double) throws {
        let error = #expect(throws: RecordError.self) { try Location(latitude: latitude, longitude: 0) }
        #expect(error?.code == .invalidLocation && error?.description.hasPrefix("'\(latitude);0.0'") == true)
        #expect(error?.reason == "the latitude is not between −90 and 90 degrees")
    }

    @Test(arguments: [180.000_000_000_000_03, -180.000_000_000_000_03, 181, .infinity, -.infinity, .nan])
    func longitudeIsWithinHalfATurn(_ longitude: Double) throws {
        let error = #expect(throws: RecordError.self) { try Location(latitude: 0, longitude: longitude) }
        #expect(error?.code == .invalidLocation && error?.description.hasPrefix("'0.0;\(longitude)'") == true)
        #expect(error?.reason == "the longitude is not between −180 and 180 degrees")
    }

    @Test(arguments: [
        "", ";", "12;", ";12", "12", "1;2;3", "1;2;", ";1;2", "nan;1", "1;nan", "inf;1", "1;-infinity", "0x10;1",
        "1;0x1p3", " 1;2", "1 ;2", "1; 2", "1;2 ", "1;2\n", "1,5;2", "1,2", "１;２", "−1;2", "1_0;2", "++1;2", "1e;2",
        "e1;2", ".;1", "1..0;2", "Hello; world", "1;2\0", "1°;2", "--1;2", "1-;2",
    ])
    func textOfAnotherFormIsRefused(_ text: String) throws {
        let error = try #require(throws: RecordError.self) { try Location(text) }
        #expect(error.code == .invalidLocation && error.description.hasPrefix("'\(text)'"))
    }

    @Test(arguments: ["91;0", "-90.1;0", "0;180.5", "1e3;0", "1e400;0", "0;-1e400"])
    func textOfNoPlaceOnEarthIsRefused(_ text: String) throws {
        let error = try #require(throws: RecordError.self) { try Location(text) }
        #expect(error.code == .invalidLocation)
        #expect(error.reason?.contains("is not between") == true)
    }

    @Test func codableFormIsTheText() throws {
        let data = try JSONEncoder().encode([Location(latitude: 57.05, longitude: -5.13)])
        #expect(String(decoding: data, as: UTF8.self) == #"["57.05;-5.13"]"#)
        #expect(try JSONDecoder().decode([Location].self, from: data) == [Location("57.05;-5.13")])
    }

    @Test func badTextInJSONIsCorruptedDataAtItsPlace() throws {
        let error = try #require(throws: DecodingError.self) {
            try JSONDecoder().decode([String: [Location]].self, from: Data(#"{"at": ["1;2", "12;"]}"#.utf8))
        }
        #expect(CodingFailure(error) == CodingFailure(.dataCorrupted, "at.1", ""))
    }

    @Test(arguments: ["1", "null", "{}", "[1, 2]", "true"])
    func numberOrObjectInJSONIsNotALocation(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Location].self, from: Data("[\(json)]".utf8))
        }
    }
}
