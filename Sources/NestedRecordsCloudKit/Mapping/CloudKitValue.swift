import Foundation
import NestedRecords

/// A value of a field in CloudKit.
///
/// https://developer.apple.com/documentation/cloudkit/ckrecord#Supported-data-types
indirect enum CloudKitValue: Sendable, Hashable {
    case string(String)
    case integer(Int64)
    case double(Double)
    case date(Date)
    case bytes(Data)
    case location(Location)
    case reference(CloudKitReference)

    /// Elements of one kind, at least one.
    case list([CloudKitValue])

    /// The bytes of a file of the library's own; a file of an app is ``Foreign/asset``.
    case file(Data)

    /// A value that records do not have; it is kept as long as its field is.
    case foreign(Foreign)
}

/// A reference in CloudKit: it has no record type.
struct CloudKitReference: Sendable, Hashable {
    let recordName: String

    /// Whether CloudKit deletes the record together with the target.
    let isOwned: Bool
}

extension CloudKitValue {
    /// The kinds of values that records do not have.
    enum Foreign: String, Sendable, Hashable {
        case asset

        /// A list that has values of these kinds.
        case list

        /// A list without elements, which has no kind.
        case emptyList

        /// A place that is not on the earth.
        case location
        case other
    }

    /// The kind, of which all elements of a list and all values of a field are.
    var kind: Kind {
        switch self {
        case .string: .string
        case .integer: .integer
        case .double: .double
        case .date: .date
        case .bytes: .bytes
        case .location: .location
        case .reference: .reference
        case .list: .list
        case .file: .file
        case .foreign: .foreign
        }
    }

    enum Kind: Sendable, Hashable {
        case string, integer, double, date, bytes, location, reference, list, file, foreign
    }

    /// Whether CloudKit may have made one value of the other by storing it.
    ///
    /// It is not documented with which precision dates and numbers are stored and sent, and whether a number is read as the
    /// kind as which it was saved: a date may differ by a millisecond, a number by some units in its last place, and a whole
    /// number may be read as an integer.
    func isStoredForm(of other: CloudKitValue) -> Bool {
        switch (self, other) {
        case (.date(let left), .date(let right)): abs(left.timeIntervalSince(right)) < 0.0015
        case (.double(let left), .double(let right)): Self.areNear(left, right)
        case (.integer(let left), .double(let right)): Self.areNear(Double(left), right)
        case (.location(let left), .location(let right)):
            Self.areNear(left.latitude, right.latitude) && Self.areNear(left.longitude, right.longitude)
        case (.reference(let left), .reference(let right)):
            left.recordName.utf8.elementsEqual(right.recordName.utf8)
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isStoredForm(of: $1) }
        default: self == other
        }
    }

    private static func areNear(_ left: Double, _ right: Double) -> Bool { abs(left - right) <= 8 * left.ulp }

    /// The number of bytes, about as CloudKit counts them.
    var size: Int {
        switch self {
        case .string(let value): value.utf8.count
        case .bytes(let value): value.count
        case .integer, .double, .date, .foreign: 8
        case .location: 16
        case .reference(let value): value.recordName.utf8.count + 32
        case .list(let values): values.reduce(0) { $0 + $1.size }
        // The limits are without assets.
        case .file: 0
        }
    }
}
