package import NestedRecordsFile

/// A file of a simulated disk: what stands in it, and what of that has reached the platters.
package struct SimulatedFile {
    private enum Change {
        case write([UInt8], at: Int)
        case resize(Int)
    }

    private static let sector = 512

    package private(set) var bytes: [UInt8] = []
    private var durableBytes: [UInt8] = []
    private var changes: [Change] = []

    /// The descriptor that holds the lock.
    package var locker: Int32?

    /// The owner, the group and the permissions, which no loss of power takes back.
    package var status = FileStatus()
    package var extendedAttributes: [String: [UInt8]] = [:]

    package init() {}

    package init(durable bytes: [UInt8]) {
        (self.bytes, durableBytes) = (bytes, bytes)
    }

    package mutating func write(_ part: [UInt8], at offset: Int) {
        bytes.put(part[...], at: offset)
        changes.append(.write(part, at: offset))
    }

    package mutating func resize(to size: Int) {
        bytes.resize(to: size)
        changes.append(.resize(size))
    }

    mutating func sync() {
        durableBytes = bytes
        changes = []
    }

    /// The file after a loss of power: each sector as it was at some moment since the last sync, and the size as well.
    func afterPowerCut(_ random: inout SplitMix64) -> SimulatedFile {
        let survivors = random.pick([0, 1, 5, 9, 10])
        // The worst that can happen: what was written last is there, and what it builds on is not.
        let onlyLastSurvives = random.chance(oneIn: 5)
        var sizes = [durableBytes.count]
        for change in changes {
            switch change {
            case .write(let part, let offset): sizes.append(max(sizes[sizes.count - 1], offset + part.count))
            case .resize(let size): sizes.append(size)
            }
        }
        let size =
            onlyLastSurvives || survivors == 10
            ? sizes[sizes.count - 1] : survivors == 0 ? sizes[0] : random.pick(sizes)
        var firstLost: [Int: Int] = [:]
        func keeps(_ change: Int, of sector: Int) -> Bool {
            if let first = firstLost[sector] { return change < first }
            let survives = Int.random(in: 0..<10, using: &random) < survivors
            let first = survives ? .max : survivors == 0 ? 0 : Int.random(in: 0..<changes.count, using: &random)
            firstLost[sector] = first
            return change < first
        }
        var result = durableBytes
        for (number, change) in changes.enumerated() {
            let (start, end) =
                switch change {
                case .write(let part, let offset): (offset, offset + part.count)
                case .resize(let size): (size, max(size, result.count))
                }
            var position = start
            while position < end {
                let next = min(end, (position / Self.sector + 1) * Self.sector)
                let isKept =
                    onlyLastSurvives ? number == changes.count - 1 : keeps(number, of: position / Self.sector)
                if isKept {
                    switch change {
                    case .write(let part, _): result.put(part[(position - start)..<(next - start)], at: position)
                    case .resize: result.put(Array(repeating: 0, count: next - position)[...], at: position)
                    }
                }
                position = next
            }
        }
        result.resize(to: size)
        var file = SimulatedFile(durable: result)
        (file.status, file.extendedAttributes) = (status, extendedAttributes)
        return file
    }
}

extension [UInt8] {
    fileprivate mutating func put(_ part: ArraySlice<UInt8>, at offset: Int) {
        if count < offset + part.count { resize(to: offset + part.count) }
        withUnsafeMutableBytes { bytes in
            part.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyMemory(from: $0) }
        }
    }

    fileprivate mutating func resize(to size: Int) {
        if count < size {
            self += [UInt8](repeating: 0, count: size - count)
        } else {
            removeLast(count - size)
        }
    }
}
