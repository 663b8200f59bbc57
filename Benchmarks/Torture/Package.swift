// swift-tools-version: 6.1
import PackageDescription

// Apart from the library's package, so that its tests are built without these trials. They see the inside of the
// library, which is built for that with -enable-testing: see the scripts that run them.
let package = Package(
    name: "Torture",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "PostgreSQL", description: "The programs of run-cluster. Needs libpq-dev."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: "NestedRecords", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))])
    ],
    targets: [
        .executableTarget(
            name: "torture",
            dependencies: [
                .product(name: "NestedRecords", package: "NestedRecords"),
                .product(name: "TestSupport", package: "NestedRecords"),
                .product(
                    name: "NestedRecordsPostgreSQL", package: "NestedRecords",
                    condition: .when(traits: ["PostgreSQL"])),
            ])
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
