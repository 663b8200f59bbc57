// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "NestedRecords",
    // The first systems with Duration; Int128 and UInt128 need those two years younger.
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "NestedRecords", targets: ["NestedRecords", "NestedRecordsFile"]),
        // Without the database in a file, for systems that have no POSIX files.
        .library(name: "NestedRecordsPortable", targets: ["NestedRecords"]),
        .library(name: "NestedRecordsTesting", targets: ["NestedRecordsTesting"]),
        .executable(name: "records", targets: ["records"]),
    ],
    dependencies: [],
    targets: [
        .target(name: "NestedRecords"),
        .target(name: "NestedRecordsFile", dependencies: ["NestedRecords"]),
        .target(name: "NestedRecordsTesting", dependencies: ["NestedRecords"]),
        .executableTarget(name: "records", dependencies: ["NestedRecords", "NestedRecordsFile"]),
        .executableTarget(name: "SchoolSample", dependencies: ["NestedRecords"], path: "Samples/School"),
        .executableTarget(name: "LibrarySample", dependencies: ["NestedRecords"], path: "Samples/Library"),
        .target(name: "TestSupport", dependencies: ["NestedRecords"], path: "Tests/TestSupport"),
        .testTarget(
            name: "NestedRecordsTests",
            dependencies: ["NestedRecords", "NestedRecordsFile", "LibrarySample", "TestSupport"]),
        .testTarget(
            name: "NestedRecordsFileTests",
            dependencies: ["NestedRecords", "NestedRecordsFile", "NestedRecordsTesting", "TestSupport"]),
        .testTarget(
            name: "NestedRecordsTestingTests", dependencies: ["NestedRecords", "NestedRecordsTesting", "TestSupport"]),
        .testTarget(
            name: "RecordsToolTests", dependencies: ["NestedRecords", "NestedRecordsFile", "records", "TestSupport"]),
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
