package import NestedRecordsHTTP

extension RecordDatabaseService.Options {
    /// Options without deadlines that a busy machine exceeds, where thousands of tests run at once.
    package static var unhurried: Self {
        var options = Self()
        (options.readDeadline, options.bodyDeadline) = (.seconds(3_600), .seconds(3_600))
        return options
    }
}
