// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "NestedRecords",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NestedRecords", targets: ["NestedRecords"]),
        .library(name: "RecordDatabaseContract", targets: ["RecordDatabaseContract"]),
        .executable(name: "records", targets: ["records"]),
    ],
    dependencies: [],
    targets: [
        .target(name: "NestedRecords"),
        .target(name: "RecordDatabaseContract", dependencies: ["NestedRecords"]),
        .executableTarget(name: "records", dependencies: ["NestedRecords"]),
        .executableTarget(name: "SchoolSample", dependencies: ["NestedRecords"], path: "Samples/School"),
        .executableTarget(name: "LibrarySample", dependencies: ["NestedRecords"], path: "Samples/Library"),
        .testTarget(
            name: "NestedRecordsTests", dependencies: ["NestedRecords", "RecordDatabaseContract", "LibrarySample"]),
        .testTarget(name: "RecordsToolTests", dependencies: ["NestedRecords", "records"]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
