/// A list that grows at the end, with one owner.
///
/// At every change an array checks whether its storage is shared, a call for every field of a record, and it fills new
/// elements with zeros before they are written. This list is noncopyable, so its storage is never shared.
///
/// Invariant: the memory at `start` has room for `capacity` elements; the first `count` are initialized, the others are
/// not. Positions are checked as in an array, so no use of the list reaches other memory.
struct GrowingList<Element>: ~Copyable {
    private var start: UnsafeMutablePointer<Element>?
    private var capacity = 0
    private(set) var count = 0

    init() {}

    deinit {
        start?.deinitialize(count: count)
        start?.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The element at a position, which must be below ``count``.
    subscript(position: Int) -> Element {
        @inline(__always)
        _read {
            yield address(position).pointee
        }
        @inline(__always)
        _modify {
            yield &address(position).pointee
        }
    }

    @inline(__always)
    private func address(_ position: Int) -> UnsafeMutablePointer<Element> {
        guard position >= 0, position < count, let start else { preconditionFailure("position out of range") }
        return start + position
    }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if count == capacity { reserve(1) }
        // Memory exists if the capacity is not 0.
        start.unsafelyUnwrapped.advanced(by: count).initialize(to: element)
        count += 1
    }

    mutating func append(_ element: Element, count more: Int) {
        reserve(more)
        start?.advanced(by: count).initialize(repeating: element, count: more)
        count += more
    }

    @inline(never)
    mutating func reserve(_ more: Int) {
        guard capacity - count < more else { return }
        let capacity = max(capacity * 2, count + more, max(8, 64 / MemoryLayout<Element>.stride))
        let memory = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        if let start {
            memory.moveInitialize(from: start, count: count)
            start.deallocate()
        }
        (start, self.capacity) = (memory, capacity)
    }

    mutating func popLast() -> Element? {
        guard count > 0, let start else { return nil }
        count -= 1
        return (start + count).move()
    }

    /// Removes all elements; keeps the memory if it has room for at most this many.
    ///
    /// The deinitializers of elements must not use the list.
    mutating func removeAll(keeping mostKept: Int) {
        start?.deinitialize(count: count)
        count = 0
        if capacity > mostKept {
            start?.deallocate()
            (start, capacity) = (nil, 0)
        }
    }

    /// Moves all elements to an array of exactly their number.
    ///
    /// Keeps the memory if it has room for at most a number of elements.
    @inline(__always)
    mutating func take<List: RangeReplaceableCollection<Element>>(keeping mostKept: Int) -> List {
        var list = List()
        guard let start else { return list }
        list.reserveCapacity(count)
        for position in 0..<count { list.append((start + position).move()) }
        count = 0
        if capacity > mostKept {
            start.deallocate()
            (self.start, capacity) = (nil, 0)
        }
        return list
    }
}

// MARK: Bytes

extension GrowingList<UInt8> {
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(bytesOf number: Number) {
        let size = MemoryLayout<Number>.size
        if capacity - count < size { reserve(size) }
        let end = UnsafeMutableRawPointer(start.unsafelyUnwrapped + count)
        end.storeBytes(of: number.littleEndian, as: Number.self)
        count += size
    }

    @inline(__always)
    mutating func append(contentsOf bytes: BytesInPlace) {
        if capacity - count < bytes.count { reserve(bytes.count) }
        bytes.withUnsafeBytes { bytes in
            guard let start, let source = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    mutating func set<Number: FixedWidthInteger>(bytesOf number: Number, at position: Int) {
        let size = MemoryLayout<Number>.size
        guard position >= 0, position <= count - size, let start else { preconditionFailure("position out of range") }
        UnsafeMutableRawPointer(start + position).storeBytes(of: number.littleEndian, as: Number.self)
    }

    mutating func truncate(to count: Int) {
        if count >= 0, count < self.count { self.count = count }
    }

    borrowing func withBytesInPlace<Result, Failure: Error>(
        _ body: (BytesInPlace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(BytesInPlace(UnsafeRawBufferPointer(start: start, count: count)))
    }
}

// MARK: Arrays

extension Array {
    /// Reverses the order by moving the elements: `reverse()` copies each, which retains its parts.
    mutating func reverseInPlace() { withUnsafeMutableBufferPointer { $0.reverse() } }
}
