#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CodedForm {
    /// What a type of this form would have written; nil where a field does not hold a value of the type.
    func parts(of value: Record.Value) -> Record.Fields? {
        let written: Record.Value? =
            switch self {
            case .decimal: Decimal.read(value).map { ValueEncoder.written(by: $0).value }
            case .url: URL.read(value).map { ValueEncoder.written(by: $0).value }
            case .bytes: nil
            }
        if case .map(let parts)? = written { return parts }
        return nil
    }
}
