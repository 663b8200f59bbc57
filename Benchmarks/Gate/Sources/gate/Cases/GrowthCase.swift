import Counting

/// Work whose cost for each item must not grow with the number of items.
struct GrowthCase: Sendable {
    let name: String

    /// The number of items of the small work; the large one has ten times as many.
    let count: Int

    private let make: @Sendable (_ count: Int) throws -> Work

    init(_ name: String, count: Int, _ make: @escaping @Sendable (_ count: Int) throws -> Work) {
        (self.name, self.count, self.make) = (name, count, make)
    }

    /// The numbers of items.
    var sizes: [Int] { [count, count * 10] }

    func name(of size: Int) -> String { "\(name) (\(size))" }

    /// The work with a name, which has the case and the size.
    static func work(named name: String) throws -> Work? {
        for growthCase in all {
            for size in growthCase.sizes where growthCase.name(of: size) == name { return try growthCase.make(size) }
        }
        return nil
    }
}
