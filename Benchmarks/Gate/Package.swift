// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because it needs no foreign package: CI runs it for every change.
let package = Package(
    name: "Gate",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Models", targets: ["Models"]),
        .library(name: "Counting", targets: ["Counting"]),
    ],
    dependencies: [.package(name: "NestedRecords", path: "../..")],
    targets: [
        // A module of their own, like a user's types: the library is not specialized for them.
        .target(name: "Models", dependencies: [.product(name: "NestedRecords", package: "NestedRecords")]),
        .target(name: "AllocationCounting"),
        .target(name: "Counting", dependencies: ["AllocationCounting"]),
        .executableTarget(
            name: "gate",
            dependencies: [
                "Models", "Counting", .product(name: "NestedRecords", package: "NestedRecords"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "AllocationCounting" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
