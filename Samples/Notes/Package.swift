// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Notes",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "NestedRecords", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
    ],
    targets: [
        .target(name: "NotesModel", dependencies: [.product(name: "NestedRecords", package: "NestedRecords")]),
        .executableTarget(
            name: "NotesServer",
            dependencies: [
                "NotesModel",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "NotesClient",
            dependencies: [
                "NotesModel",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "NestedRecordsSync", package: "NestedRecords"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
