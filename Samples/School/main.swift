import NestedRecords

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

let atlas = Book(id: 1, title: "An Atlas of Clouds", cover: Cover(colour: "blue", isHard: true))
let stars = Book(id: 2, title: "Stars for Beginners", cover: Cover(colour: "black", isHard: false))
var school = School(
    id: "hilltop",
    name: "Hilltop School",
    location: try Location(latitude: 57.05, longitude: -5.13),
    director: Person(id: "ada", name: "Ada", born: Date(timeIntervalSince1970: 0)),
    students: [
        Person(id: "bo", name: "Bo", born: Date(timeIntervalSince1970: 1_300_000_000), favourite: stars),
        Person(id: "cy", name: "Cy", born: Date(timeIntervalSince1970: 1_310_000_000), favourite: stars),
    ],
    books: [atlas, stars],
    visitorsToday: 12)

// Nested value in, flat records out.
let graph = try RecordEncoder().encode(school)
print(graph)

// Into a database and back: one call for each level of references.
let database = InMemoryRecordDatabase()
try await RecordStore(database).insert(school)
let resolution = try await RecordDecoder().resolve(School.self, from: graph.roots[0], in: database)
print("\nRebuilt from \(resolution.recordCount) records in \(resolution.callCount) calls.")

// All properties are back except the ignored one.
school.visitorsToday = nil
struct Difference: Error { let rebuilt: School }
guard resolution.value == school else { throw Difference(rebuilt: resolution.value) }
print("The rebuilt school is equal to the original.")
