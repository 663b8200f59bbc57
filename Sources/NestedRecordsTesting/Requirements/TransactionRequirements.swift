import NestedRecords

extension RecordDatabaseRequirement {
    static let transactions = [
        RecordDatabaseRequirement(
            "keeps the sum of 100 accounts in the transfers of 64 tasks",
            needs: [.conditions, .missingConditions, .versionedDeletions]
        ) { database in
            guard database.batchLimit >= 2 else { return }
            let accounts = try (0..<100).map { try Record.account("\($0)", balance: 100) }
            try await database.saveInBatches(accounts)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<64 {
                    group.addTask {
                        // Most tasks use the same ten accounts.
                        let ids = [accounts[task % 10].id, accounts[(task * 7 + 3) % 100].id]
                        try await transfer(task % 5 + 1, from: ids[0], to: ids[1], in: database)
                    }
                }
                try await group.waitForAll()
            }
            let found = try await database.fetchInBatches(accounts.map(\.id))
            let sum = found.values.reduce(0) { $0 + $1.balance }
            try expect(sum == 10_000, "the sum of all accounts was 10000 and is \(sum)")
        },
        RecordDatabaseRequirement(
            "refuses a transaction if another has changed what it read",
            needs: [.conditions, .missingConditions, .versionedDeletions]
        ) { database in
            guard database.batchLimit >= 2 else { return }
            let accounts = try ["left", "right"].map { try Record.account($0, balance: 1) }
            try await database.saveInBatches(accounts)
            var attempts = 0
            try await database.transaction { transaction in
                attempts += 1
                let isSafe = try await transaction.sum(of: accounts) > 1
                if attempts == 1 {
                    // A second transaction that reads the same records and changes the other one.
                    try await database.transaction { other in
                        if try await other.sum(of: accounts) > 1 {
                            try await other.setBalance(of: accounts[1].id, to: 0)
                        }
                    }
                }
                if isSafe { try await transaction.setBalance(of: accounts[0].id, to: 0) }
            }
            let sum = try await database.sum(of: accounts)
            try expect(sum == 1, "both transactions have withdrawn the last unit")
        },
    ]

    private static func transfer(
        _ amount: Int, from giver: Record.ID, to taker: Record.ID, in database: any RecordDatabase
    ) async throws {
        guard giver != taker else { return }
        try await database.transaction(maximumAttempts: 1_000) { transaction in
            let found = try await transaction.fetchInBatches([giver, taker])
            try await transaction.setBalance(of: giver, to: (found[giver]?.balance ?? 0) - amount)
            try await transaction.setBalance(of: taker, to: (found[taker]?.balance ?? 0) + amount)
        }
    }
}

extension Record {
    fileprivate static func account(_ name: String, balance: Int) throws -> Record {
        try Record(id: Record.ID(type: "Account", name: name), fields: ["balance": .int(Int64(balance))])
    }

    fileprivate var balance: Int {
        if case .int(let balance) = self["balance"] { Int(balance) } else { 0 }
    }
}

extension RecordDatabase {
    fileprivate func sum(of accounts: [Record]) async throws -> Int {
        try await fetchInBatches(accounts.map(\.id)).values.reduce(0) { $0 + $1.balance }
    }

    fileprivate func setBalance(of id: Record.ID, to balance: Int) async throws {
        _ = try await commit(RecordBatch(saving: [Record.account(id.name, balance: balance)], savePolicy: .overwrite))
    }
}
