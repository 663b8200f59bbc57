// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because it needs foreign packages and the library needs none.
let package = Package(
    name: "Cards",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "cards", targets: ["cards"]),
        .executable(name: "cards-client", targets: ["CardsClient"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "The option --sqlite. Needs libsqlite3-dev."),
        .trait(name: "PostgreSQL", description: "The option --postgresql. Needs libpq-dev."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: "NestedRecords", path: "../..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["SQLite"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    ],
    targets: [
        .target(name: "CardModel", dependencies: [.product(name: "NestedRecords", package: "NestedRecords")]),
        .target(
            name: "CardService",
            dependencies: [
                "CardModel",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            // The program has the files of the page in itself.
            resources: ["html", "css", "js"].map { .embedInCode("Page/page.\($0)") }),
        .executableTarget(
            name: "cards",
            dependencies: [
                "CardService",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(
                    name: "NestedRecordsSQLite", package: "NestedRecords", condition: .when(traits: ["SQLite"])),
                .product(
                    name: "NestedRecordsPostgreSQL", package: "NestedRecords",
                    condition: .when(traits: ["PostgreSQL"])),
            ]),
        .executableTarget(
            name: "CardsClient",
            dependencies: [
                "CardModel",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "NestedRecordsSync", package: "NestedRecords"),
            ]),
        // A service of records on another framework, for the article about one's own server.
        .target(
            name: "FlyingFoxRecords",
            dependencies: [
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]),
        .testTarget(
            name: "FlyingFoxRecordsTests",
            dependencies: [
                "FlyingFoxRecords",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]),
        .testTarget(
            name: "CardServiceTests",
            dependencies: [
                "CardModel", "CardService", "CardsClient",
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
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
