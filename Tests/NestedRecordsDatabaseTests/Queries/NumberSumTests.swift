import Foundation
import TestSupport
import Testing

@testable import NestedRecords

@Suite struct NumberSumTests {
    private func sum(_ values: [Record.Value]) -> NumberSum {
        var sum = NumberSum()
        for value in values where !sum.add(value) { Issue.record("\(value) is no number") }
        return sum
    }

    @Test(
        arguments: [
            ([], 0), ([1, 2], 3), ([.double(0.1), .double(0.2)], .double(0.3)), ([.int(.max), 1, -1], .int(.max)),
            ([.int(.min), .int(.max)], -1), ([.double(1e300), 1, .double(-1e300)], 1), ([1, -1], 0),
            ([.double(-0.0), .double(-0.5)], .double(-0.5)),
            (Array(repeating: .double(.leastNonzeroMagnitude), count: 2), .double(2 * .leastNonzeroMagnitude)),
            ([-1_000_000_000, .double(0.5)], .double(-999_999_999.5)), ([.double(1e9), -1], 999_999_999),
            ([.double(.infinity), 1], .double(.infinity)), ([-1, -999_999_999], -1_000_000_000),
            ([.int(.max), .int(.max)], .number(digits: "18446744073709551614")),
            (
                [.number(digits: "0.10000000000000000001"), .number(digits: "0.2e0")],
                .number(digits: "30000000000000000001e-20")
            ),
            ([.double(1e200), .double(1e200)], .double(2e200)),
            ([.double(1e18), .double(1e18)], .int(2_000_000_000_000_000_000)),
            ([.double(1.7e308), .double(1.7e308)], .number(digits: "34e307")),
        ] as [([Record.Value], Record.Value)]
    )
    func sumIsThatOfTheDecimalNumbers(_ values: [Record.Value], _ expected: Record.Value) {
        for order in [values, values.reversed()] { #expect(sum(order).value == expected) }
    }

    @Test func infinitiesOfBothSignsAreNotANumber() {
        for values in [[.double(.infinity), .double(-.infinity)], [.double(.nan), 1]] as [[Record.Value]] {
            guard case .double(let double) = sum(values).value else { return #expect(Bool(false)) }
            #expect(double.isNaN)
        }
        #expect(sum([.double(-.infinity)]).double == -.infinity)
    }

    @Test(
        arguments: [
            "1", true, .null, .list([1]), .map([:]), .map(["$decimal": "x"]), .map(["$decimal": "1e-99999999999"]),
            .map(["$decimal": "1e99999999999"]), .map(["$decimal": .string(String(repeating: "1", count: 101))]),
        ] as [Record.Value]
    )
    func otherValuesAreNotNumbers(_ value: Record.Value) {
        var sum = NumberSum()
        let isNumber = sum.add(value)
        #expect(!isNumber)
        #expect(sum.value == 0)
    }

    /// Against `Decimal`, for numbers whose sum it holds exactly.
    @Test func sumIsThatOfDecimal() {
        var generator = SplitMix64(seed: 7)
        for _ in 0..<300 {
            var (values, expected) = ([Record.Value](), Decimal(0))
            for _ in 0..<Int.random(in: 1...40, using: &generator) {
                let number =
                    Decimal(Int64.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator))
                    / generator.pick([1, 10, 1_000, 1_000_000])
                expected += number
                values.append(number.fieldValue)
            }
            #expect(Decimal.read(sum(values).value) == expected, "\(values)")
            #expect(sum(values.shuffled(using: &generator)).digits == sum(values).digits)
        }
    }

    @Test func numbersAreComparedExactly() {
        let pairs: [(Record.Value, Record.Value)] = [
            (1, 2), (.int(.min), .int(.max)), (.double(0.1), .number(digits: "0.10000000000000000001")),
            (.number(digits: "-1.00000000000000000001"), -1),
        ]
        for (less, greater) in pairs {
            #expect(NumberSum.isLess(less, than: greater))
            #expect(!NumberSum.isLess(greater, than: less))
            #expect(!NumberSum.isLess(less, than: less))
        }
    }
}
