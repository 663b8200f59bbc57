// swift-tools-version: 6.1
import PackageDescription

// The tests of everything that waits, as a package of their own: only these are quickly built with optimization.
//
//     swift test --package-path Tests -c release -Xswiftc -enable-testing
let package = Package(
    name: "Tests",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "NestedRecords", path: "..")],
    targets: [
        .target(
            name: "TestSupport", dependencies: [.product(name: "NestedRecords", package: "NestedRecords")],
            path: "TestSupport",
            exclude: [
                "ContainerCalls", "Differential", "Disks", "JSONValue+Equality.swift", "JSONValue+Parts.swift",
            ]),
        .testTarget(
            name: "NestedRecordsDatabaseTests",
            dependencies: [.product(name: "NestedRecords", package: "NestedRecords"), "TestSupport"],
            path: "NestedRecordsDatabaseTests"),
        .testTarget(
            name: "NestedRecordsTestingTests",
            dependencies: [
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsTesting", package: "NestedRecords"), "TestSupport",
            ],
            path: "NestedRecordsTestingTests"),
        .testTarget(
            name: "NestedRecordsFileTests",
            dependencies: [
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsTesting", package: "NestedRecords"), "TestSupport",
            ],
            path: "NestedRecordsFileTests",
            // These use the simulated disks, or what the library's package alone may use.
            exclude: [
                "Crash", "EntryIDTests.swift", "FetchThreadTests.swift", "FetchedPiecesTests.swift",
                "FreeThreadTests.swift",
            ]),
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
