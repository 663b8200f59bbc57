/// The events so far.
struct KillCounts {
    var kills = 0
    var days = 0
    var inBatches = 0
    var inCompactions = 0
    var inIndexes = 0
    var inClosings = 0
    var inCreations = 0
    var tornTails = 0
    var tornBytes = 0
    var unacknowledged = 0
    var refused = 0
    var reads = 0
    var pages = 0

    /// The counts by name.
    var byName: Counts {
        [
            "kills": kills, "in batches": inBatches, "in compactions": inCompactions,
            "in saving an index": inIndexes, "in closings": inClosings, "in creations": inCreations,
            "torn tails": tornTails,
            "bytes of torn tails": tornBytes, "whole batches that were not acknowledged": unacknowledged,
            "acknowledged batches": days, "locks refused": refused, "reads during writes": reads,
            "pages of changes": pages,
        ]
    }
}
