#if PostgreSQL
@_spi(Engines) import NestedRecords

actor PostgreSQLConnection {
    private nonisolated let executor = BlockingQueue(label: "NestedRecords PostgreSQL connection")
    private var session: Session?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(_ parameters: ConnectionParameters, _ statements: [Statement]) throws {
        session = try Session(parameters, executing: statements)
    }

    func execute(_ statements: [Statement], _ switch: CancelSwitch) throws(Session.Failure) -> [Answer] {
        guard let session else { throw .notSent("the connection is closed") }
        do throws(Session.Failure) {
            return try session.execute(statements, `switch`)
        } catch {
            // A transaction that a refused statement has begun ends with the connection.
            if !session.isIdle { self.session = nil }
            throw error
        }
    }
}
#endif
