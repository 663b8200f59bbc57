/// Holds values of a call that is still going on.
protocol CallScoped {
    func reset()
}
