// The keys of all kinds have the same names.

enum CallKey: String, CodingKey, CaseIterable {
    case a, value, c = "a.b", camelCase, e = "$ref", f = "a/b", g = "é", h = "name", i, j, k, l, m, n, o, p
}

enum CallNumberKey: Int, CodingKey {
    case a, value, c, camelCase, e = 70, f, g, h, i, j, k, l, m, n, o, p
    var stringValue: String { CallKey.allCases[Self.position(of: self)].stringValue }
    init?(stringValue: String) {
        guard let position = CallKey.allCases.firstIndex(where: { $0.stringValue == stringValue }) else { return nil }
        self = Self.all[position]
    }
    static let all: [CallNumberKey] = [.a, .value, .c, .camelCase, .e, .f, .g, .h, .i, .j, .k, .l, .m, .n, .o, .p]
    private static func position(of key: CallNumberKey) -> Int { all.firstIndex(of: key) ?? 0 }
}

struct CallOpenKey: CodingKey {
    var stringValue: String
    var intValue: Int?
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }
}

/// A type of keys.
protocol CallKeys: CodingKey { static func key(_ number: Int) -> Self }

extension CallKey: CallKeys { static func key(_ number: Int) -> CallKey { allCases[number] } }
extension CallNumberKey: CallKeys { static func key(_ number: Int) -> CallNumberKey { all[number] } }
extension CallOpenKey: CallKeys {
    static func key(_ number: Int) -> CallOpenKey { CallOpenKey(CallKey.allCases[number].stringValue) }
}
