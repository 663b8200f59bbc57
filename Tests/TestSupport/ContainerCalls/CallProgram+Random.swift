extension CallProgram {
    /// A random program.
    package static func random(_ generator: inout SplitMix64) -> CallProgram {
        CallProgram(
            (0..<generator.pick([10, 40, 120, 300])).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// A smaller program with the same property, as small as can be found by leaving bytes out and making them zero.
    package func shrunk(while holds: (CallProgram) -> Bool) -> CallProgram {
        var best = self
        var isShrinking = true
        while isShrinking {
            isShrinking = false
            for size in [64, 16, 4, 1] {
                var start = 0
                while start < best.bytes.count {
                    let end = min(start + size, best.bytes.count)
                    let zeros = [UInt8](repeating: 0, count: end - start)
                    var candidates = [best.bytes[..<start] + best.bytes[end...]]
                    if Array(best.bytes[start..<end]) != zeros {
                        candidates.append(best.bytes[..<start] + zeros + best.bytes[end...])
                    }
                    if let found = candidates.map({ CallProgram(Array($0)) }).first(where: holds) {
                        best = found
                        isShrinking = true
                    } else {
                        start = end
                    }
                }
            }
        }
        return best
    }
}
