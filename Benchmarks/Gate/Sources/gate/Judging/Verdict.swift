/// The verdict on a figure, compared with the baseline.
enum Verdict: Equatable {
    case good, worse, notMeasured, notInBaseline

    /// Judges a figure.
    ///
    /// Counts are repeatable and may grow by a twentieth, allocations also by one in a call. Times are not repeatable,
    /// even as ratios in one run: they may grow by a quarter. So may growth, which is tenfold for quadratic costs.
    init(_ figure: Figure, baseline: Double?) {
        guard let value = figure.value else {
            self = .notMeasured
            return
        }
        guard let baseline else {
            self = .notInBaseline
            return
        }
        let now = value.rounded(for: figure.kind)
        self =
            switch figure.kind {
            case .instructions, .allocations, .liveBytes:
                now <= max(baseline * 1.05, baseline + figure.tolerance) ? .good : .worse
            case .growth: now <= baseline * 1.25 ? .good : .worse
            case .speed: now >= baseline * 0.75 ? .good : .worse
            }
    }

    var text: String {
        switch self {
        case .good: "good"
        case .worse: "WORSE"
        case .notMeasured: "not measured"
        case .notInBaseline: "NOT IN THE BASELINE"
        }
    }
}
