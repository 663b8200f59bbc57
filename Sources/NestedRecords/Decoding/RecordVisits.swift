struct RecordVisits: ~Copyable {
    private var visits = GrowingList<Visit>()

    /// The class instance of each record, allocated at the first record of a class.
    private var instances = GrowingList<AnyObject?>()

    private struct Visit {
        /// The number of that type; 0 for none.
        var owner: Int32 = 0
        var isOpen = false
        var wasTried = false

        /// The number of the type's value for reuse, plus one; 0 for none.
        var memo: Int32 = 0
    }

    init(count: Int) { visits.append(Visit(), count: count) }

    @inline(__always)
    func owner(of position: Int) -> Int32 { visits[position].owner }

    func isReached(_ position: Int) -> Bool { visits[position].owner != 0 || visits[position].wasTried }

    mutating func reach(_ position: Int) { visits[position].wasTried = true }

    func isOpen(_ position: Int) -> Bool { visits[position].isOpen }

    @inline(__always)
    mutating func begin(_ position: Int, owner: Int32) { visits[position] = Visit(owner: owner, isOpen: true) }

    mutating func setOpen(_ position: Int, _ isOpen: Bool) { visits[position].isOpen = isOpen }

    @inline(__always)
    mutating func end(_ position: Int, instance: consuming AnyObject?) {
        visits[position].isOpen = false
        guard let instance else { return }
        if instances.isEmpty { instances.append(nil, count: visits.count) }
        instances[position] = instance
    }

    /// The number of the value for reuse that the type has made from a record; nil if none exists.
    @inline(__always)
    func memoNumber(_ position: Int) -> Int? {
        let memo = visits[position].memo
        return memo == 0 ? nil : Int(memo) - 1
    }

    mutating func note(memoNumber: Int, _ position: Int) {
        visits[position].memo = Int32(truncatingIfNeeded: memoNumber + 1)
    }

    mutating func fail(_ position: Int) { visits[position] = Visit(wasTried: true) }

    func instance(_ position: Int) -> AnyObject? { instances.isEmpty ? nil : instances[position] }
}
