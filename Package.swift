// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "NestedRecords",
    // The first systems with Observation; Int128 and UInt128 need those one year younger.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "NestedRecords", targets: ["NestedRecords", "NestedRecordsFile"]),
        .library(name: "NestedRecordsSQLite", targets: ["NestedRecordsSQLite"]),
        .library(name: "NestedRecordsPostgreSQL", targets: ["NestedRecordsPostgreSQL"]),
        .library(name: "NestedRecordsSync", targets: ["NestedRecordsSync"]),
        .library(name: "NestedRecordsHTTP", targets: ["NestedRecordsHTTP"]),
        .library(name: "NestedRecordsFirestore", targets: ["NestedRecordsFirestore"]),
        .library(name: "NestedRecordsCloudKit", targets: ["NestedRecordsCloudKit"]),
        .library(name: "NestedRecordsViews", targets: ["NestedRecordsViews"]),
        .library(name: "NestedRecordsTesting", targets: ["NestedRecordsTesting"]),
        .executable(name: "records", targets: ["records"]),
    ],
    traits: [
        .trait(name: "SQLite", description: "A database in SQLite. Needs libsqlite3-dev."),
        .trait(name: "PostgreSQL", description: "A database on a PostgreSQL server. Needs libpq-dev."),
        .trait(name: "OpenSSL", description: "Signs with private keys by OpenSSL. Needs libssl-dev."),
        .default(enabledTraits: []),
    ],
    dependencies: [],
    targets: [
        .target(name: "NestedRecords"),
        .target(
            name: "NestedRecordsFile",
            dependencies: [
                "NestedRecords", .target(name: "CExtendedAttributes", condition: .when(platforms: [.linux])),
            ]),
        // Swift's module of the C library of Linux omits this header of it.
        .systemLibrary(name: "CExtendedAttributes"),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .target(
            name: "NestedRecordsSQLite",
            dependencies: ["NestedRecords", .target(name: "CSQLite", condition: .when(traits: ["SQLite"]))]),
        .target(
            name: "NestedRecordsPostgreSQL",
            dependencies: ["NestedRecords", .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
        .target(name: "NestedRecordsSync", dependencies: ["NestedRecords"]),
        // On Apple's systems Security signs.
        .target(
            name: "NestedRecordsHTTP",
            dependencies: [
                "NestedRecords",
                .target(name: "COpenSSL", condition: .when(platforms: [.linux], traits: ["OpenSSL"])),
            ]),
        .target(name: "NestedRecordsFirestore", dependencies: ["NestedRecords", "NestedRecordsHTTP"]),
        .target(name: "NestedRecordsCloudKit", dependencies: ["NestedRecords", "NestedRecordsHTTP"]),
        .target(name: "NestedRecordsViews", dependencies: ["NestedRecords"]),
        .target(name: "NestedRecordsTesting", dependencies: ["NestedRecords"]),
        .executableTarget(
            name: "records",
            dependencies: [
                "NestedRecords", "NestedRecordsCloudKit", "NestedRecordsFile", "NestedRecordsFirestore",
                "NestedRecordsHTTP", "NestedRecordsSync",
                .target(name: "CSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "NestedRecordsSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "NestedRecordsPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            // In the program: the tool stays one file.
            resources: [.embedInCode("Page/page.html")]),
        .executableTarget(
            name: "SchoolSample", dependencies: ["NestedRecords"], path: "Samples/School", exclude: ["README.md"]),
        .executableTarget(
            name: "LibrarySample", dependencies: ["NestedRecords"], path: "Samples/Library", exclude: ["README.md"]),
        .target(
            name: "TestSupport", dependencies: ["NestedRecords", "NestedRecordsFile"], path: "Tests/TestSupport"),
        .target(
            name: "HTTPTestSupport",
            dependencies: ["NestedRecords", "NestedRecordsHTTP", "NestedRecordsTesting", "TestSupport"],
            path: "Tests/HTTPTestSupport"),
        .testTarget(
            name: "NestedRecordsTests",
            dependencies: ["NestedRecords", "NestedRecordsFile", "LibrarySample", "TestSupport"]),
        .testTarget(name: "NestedRecordsDatabaseTests", dependencies: ["NestedRecords", "TestSupport"]),
        .testTarget(
            name: "NestedRecordsFileTests",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "NestedRecordsTesting", "TestSupport",
                .target(name: "CExtendedAttributes", condition: .when(platforms: [.linux])),
            ],
            exclude: ["KeptFiles"]),
        .executableTarget(
            name: "DatabaseProcess",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "NestedRecordsHTTP", "NestedRecordsSync",
                .target(name: "NestedRecordsSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "NestedRecordsPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            path: "Tests/DatabaseProcess"),
        .testTarget(
            name: "NestedRecordsSQLiteTests",
            dependencies: [
                "NestedRecords", "NestedRecordsSQLite", "NestedRecordsTesting", "DatabaseProcess", "TestSupport",
            ],
            exclude: ["KeptFiles"]),
        .testTarget(
            name: "NestedRecordsPostgreSQLTests",
            dependencies: ["NestedRecords", "NestedRecordsPostgreSQL", "NestedRecordsTesting", "TestSupport"]),
        .testTarget(
            name: "NestedRecordsEngineTests",
            dependencies: [
                "DatabaseProcess", "HTTPTestSupport", "NestedRecords", "NestedRecordsFile", "NestedRecordsFirestore",
                "NestedRecordsHTTP", "NestedRecordsSQLite", "NestedRecordsPostgreSQL", "NestedRecordsSync",
                "NestedRecordsTesting", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsSyncTests",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "NestedRecordsSQLite", "NestedRecordsPostgreSQL",
                "NestedRecordsSync", "NestedRecordsTesting", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsHTTPTests",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "NestedRecordsHTTP", "NestedRecordsSync", "NestedRecordsTesting",
                "HTTPTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsFirestoreTests",
            dependencies: [
                "HTTPTestSupport", "NestedRecords", "NestedRecordsFirestore", "NestedRecordsHTTP", "NestedRecordsSync",
                "NestedRecordsTesting", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsCloudKitTests",
            dependencies: [
                "HTTPTestSupport", "NestedRecords", "NestedRecordsCloudKit", "NestedRecordsFile", "NestedRecordsHTTP",
                "NestedRecordsSync", "NestedRecordsTesting", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsViewsTests",
            dependencies: [
                "HTTPTestSupport", "NestedRecords", "NestedRecordsFile", "NestedRecordsHTTP", "NestedRecordsTesting",
                "NestedRecordsViews", "TestSupport",
            ]),
        .testTarget(
            name: "NestedRecordsTestingTests", dependencies: ["NestedRecords", "NestedRecordsTesting", "TestSupport"]),
        .testTarget(
            name: "RecordsToolTests",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "NestedRecordsHTTP", "HTTPTestSupport", "records", "TestSupport",
                .target(name: "NestedRecordsSQLite", condition: .when(traits: ["SQLite"])),
                .target(name: "NestedRecordsPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// For .ci/run alone: the gate, which is a package of its own, with the products for users, so that the library is compiled once.
if Context.environment["GATE"] != nil {
    let path = "Benchmarks/Gate/Sources"
    package.targets += [
        .target(name: "Models", dependencies: ["NestedRecords"], path: "\(path)/Models"),
        .target(name: "AllocationCounting", path: "\(path)/AllocationCounting"),
        .target(name: "Counting", dependencies: ["AllocationCounting"], path: "\(path)/Counting"),
        .executableTarget(name: "gate", dependencies: ["Models", "Counting", "NestedRecords"], path: "\(path)/gate"),
    ]
}

// The same with the torture, which is compiled with the tests.
if Context.environment["TRAIT_TESTS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "torture",
            dependencies: [
                "NestedRecords", "NestedRecordsFile", "TestSupport",
                .target(name: "NestedRecordsPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            path: "Benchmarks/Torture/Sources/torture"))
}

// For Benchmarks/Torture alone: a package that uses the library could have no target of that name itself.
if Context.environment["TORTURE"] != nil {
    package.products.append(.library(name: "TestSupport", targets: ["TestSupport"]))
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// For .ci/run alone: the tests of what is behind package traits, and of what uses Apple's module CloudKit, without the others,
// which take longer to build. CloudKit is a stand-in here, which a package that uses the library must not see:
// `canImport(CloudKit)` would be true for it.
if Context.environment["TRAIT_TESTS"] != nil {
    let others = ["", "Database", "File", "Firestore", "HTTP", "Testing", "Views"].map { "NestedRecords\($0)Tests" }
    package.targets.removeAll { others.contains($0.name) }
    let users = ["NestedRecords", "NestedRecordsCloudKit", "NestedRecordsCloudKitTests", "RecordsToolTests"]
    for target in package.targets where users.contains(target.name) {
        target.dependencies += ["CloudKit", "CoreLocation"]
    }
    package.targets += [
        .target(name: "CoreLocation", path: "Tests/CloudKitStandIn/CoreLocation"),
        .target(name: "CloudKit", dependencies: ["CoreLocation"], path: "Tests/CloudKitStandIn/CloudKit"),
    ]
}
