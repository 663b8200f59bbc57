#if PostgreSQL
@_spi(Engines) import NestedRecords

extension Tables {
    /// Whether the records are distributed; only for databases with the extension Citus.
    var isDistributed: Statement {
        Statement(
            "look at the tables",
            "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = $1::regclass)", [.text(records)])
    }

    /// Distributes the records by name, unless they are distributed, and makes every process look at the tables again.
    ///
    /// The history and the indexes of the library stay on the coordinator.
    func distribution(shardCount: Int) -> [Statement] {
        [
            Statement(
                "distribute the records",
                """
                SELECT create_distributed_table(
                    $1::regclass, 'name', shard_count => $2::bigint::integer, colocate_with => 'none')
                WHERE NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = $1::regclass)
                """, [.text(records), .integer(Int64(shardCount))]),
            Statement("distribute the records", "UPDATE \(store) SET generation = generation + 1"),
        ]
    }

    /// The transactions that each server of the cluster has prepared and not committed, separated by spaces, after
    /// whether the server has answered.
    static let prepared = Statement(
        "look for transactions of workers",
        """
        SELECT success, nodeid::bigint, result FROM run_command_on_all_nodes(
            'SELECT string_agg(gid, '' '') FROM pg_prepared_xacts WHERE database = current_database()')
        """)
}
#endif
