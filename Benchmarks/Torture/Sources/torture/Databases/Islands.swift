@testable import NestedRecords
@testable import TestSupport

/// The values in lying databases.
struct Island: RecordCodable, Identifiable, Equatable {
    var id: Int
    var name: String
    var harbours: [Harbour]
    var capital: Harbour?
    var archive: Folder
    var heights: [String: Double]
}

struct Harbour: RecordCodable, Identifiable, Equatable {
    var id: Int
    var depth: Double?
    var boats: [Boat]
}

struct Boat: RecordCodable, Identifiable, Equatable {
    struct Trip: Codable, Equatable {
        var target: String
        var days: [Int]
    }

    var id: String
    var trips: [Trip]
    var isAfloat: Bool
}

/// A value that contains itself if a database answers so.
struct Folder: RecordCodable, Identifiable, Equatable {
    var id: String
    var name: String
    var children: [Folder]
}

extension Island {
    static func random(_ random: inout SplitMix64) -> Island {
        let boats = (0..<Int.random(in: 0...5, using: &random)).map { number in
            Boat(
                id: "boat \(number)",
                trips: (0..<Int.random(in: 0...2, using: &random)).map { Boat.Trip(target: "t\($0)", days: [$0, 7]) },
                isAfloat: random.chance(oneIn: 2))
        }
        let harbours = (0..<Int.random(in: 1...4, using: &random)).map { number in
            Harbour(
                id: number, depth: random.chance(oneIn: 3) ? nil : 2.5,
                boats: boats.filter { _ in random.chance(oneIn: 2) })
        }
        func folder(_ path: String, _ depth: Int) -> Folder {
            Folder(
                id: path, name: "folder",
                children: depth == 0 ? [] : (0..<random.pick([0, 1, 2])).map { folder("\(path)-\($0)", depth - 1) })
        }
        return Island(
            id: 1, name: "Rum", harbours: harbours, capital: random.chance(oneIn: 2) ? nil : harbours[0],
            archive: folder("f", 3), heights: ["Askival": 812, "Hallival": 723])
    }
}
