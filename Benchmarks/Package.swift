// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the library has no dependencies: only the measurements need other libraries.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Engines", description: "Measures SQLite and PostgreSQL. Needs libsqlite3-dev and libpq-dev."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: "NestedRecords", path: "..",
            traits: [
                .trait(name: "SQLite", condition: .when(traits: ["Engines"])),
                .trait(name: "PostgreSQL", condition: .when(traits: ["Engines"])),
            ]),
        .package(path: "Gate"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .executableTarget(
            name: "compare",
            dependencies: [
                .product(name: "Models", package: "Gate"),
                .product(name: "Counting", package: "Gate"),
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "NestedRecordsHTTP", package: "NestedRecords"),
                .product(name: "NestedRecordsSync", package: "NestedRecords"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(
                    name: "NestedRecordsSQLite", package: "NestedRecords", condition: .when(traits: ["Engines"])),
                .product(
                    name: "NestedRecordsPostgreSQL", package: "NestedRecords", condition: .when(traits: ["Engines"])),
                .target(name: "CLibpq", condition: .when(traits: ["Engines"])),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
