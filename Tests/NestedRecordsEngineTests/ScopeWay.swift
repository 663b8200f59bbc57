import NestedRecords
import TestSupport
import Testing

/// A way that could lead around a scope.
struct ScopeWay: Sendable, CustomTestStringConvertible {
    /// The values of all, and those of Ann.
    struct Stores {
        let all: RecordStore
        let ann: RecordStore
        var view: any RecordDatabase { ann.database }

        let annID: Record.ID
        let boID: Record.ID

        init(all: RecordStore) throws {
            (self.all, ann) = (all, try all.seen(by: "ann"))
            (annID, boID) = (try Record.ID("ScopePhoto/1"), try Record.ID("ScopePhoto/11"))
        }
    }

    let name: String
    let attempt: @Sendable (Stores) async throws -> Void
    var testDescription: String { name }

    private init(_ name: String, _ attempt: @escaping @Sendable (Stores) async throws -> Void) {
        (self.name, self.attempt) = (name, attempt)
    }

    static let all: [ScopeWay] = reading + changing + deleting
}

/// The name is taken, and nothing of the record that has it is revealed.
private func expectTaken(_ body: () async throws -> Void) async {
    let error = await #expect(throws: RecordDatabaseError.self) { try await body() }
    #expect(error?.code == .conflict && error?.serverRecord == nil)
    #expect(error.map { !"\($0)".contains("private") } == true)
}

private func expect(_ code: RecordError.Code, _ body: () async throws -> Void) async {
    let error = await #expect(throws: RecordError.self) { try await body() }
    #expect(error?.code == code, "\(String(describing: error))")
}

private func expect(_ code: RecordDatabaseError.Code, _ body: () async throws -> Void) async {
    let error = await #expect(throws: RecordDatabaseError.self) { try await body() }
    #expect(error?.code == code && error?.serverRecord == nil, "\(String(describing: error))")
    #expect(error.map { !"\($0)".contains("ScopeAlbum/b") && !"\($0)".contains("ScopeComment") } == true)
}

// MARK: Reading

extension ScopeWay {
    private static let reading: [ScopeWay] = [
        ScopeWay("a fetch by name") { (stores: Stores) async throws -> Void in
            await expect(.recordNotFound) { _ = try await stores.ann.fetch(Photo.self, named: 11) }
            #expect(try await stores.ann.fetchIfPresent(Photo.self, named: 11)?.id == nil)
            #expect(try await stores.view.records(for: [stores.boID, stores.annID]).map(\.id) == [stores.annID])
        },
        ScopeWay("a reference") { (stores: Stores) async throws -> Void in
            await expect(.danglingReference) { _ = try await stores.ann.fetch(Album.self, named: "mixed") }
            var coding = RecordCoding()
            coding.omitsDanglingReferences = true
            let album = try await RecordStore(stores.all.database, coding: coding).seen(by: "ann")
                .fetch(Album.self, named: "mixed")
            #expect(album.photos.map(\.id) == [1] && album.cover?.id == nil)
        },
        ScopeWay("a link") { (stores: Stores) async throws -> Void in
            let link = try #require(try await stores.ann.fetch(Photo.self, named: 2).original)
            await expect(.recordNotFound) { _ = try await stores.ann.fetch(link) }
            #expect(try await stores.ann.fetchIfPresent(link)?.id == nil)
        },
        ScopeWay("a query") { (stores: Stores) async throws -> Void in
            let photos = stores.ann.query(Photo.self)
            #expect(try await photos.all().map(\.id) == [1, 2])
            #expect(try await photos.filter { $0.owner == "bo" }.all().isEmpty)
            #expect(try await photos.filter { !($0.owner == "ann") }.count() == 0)
            #expect(
                try await photos.filter { $0.id == 11 || $0.id == 2 }.sorted(descending: true) { $0.id }.first()?.id
                    == 2)
            #expect(try await photos.filter { $0.title == "private" }.exists() == false)
            #expect(try await photos.page().examinedCount == 2)
        },
        ScopeWay("a query through a reference") { (stores: Stores) async throws -> Void in
            #expect(try await stores.all.query(Album.self).filter { $0.cover.title == "private" }.count() == 2)
            #expect(try await stores.ann.query(Album.self).filter { $0.cover.title == "private" }.count() == 0)
            #expect(try await stores.all.query(Photo.self).filter { $0.original.title == "private" }.count() == 1)
            #expect(try await stores.ann.query(Photo.self).filter { $0.original.title == "private" }.count() == 0)
        },
        ScopeWay("versions in pages") { (stores: Stores) async throws -> Void in
            var names: [String] = []
            while let version = try await stores.ann.database.versions(
                ofType: Photo.recordType, after: names.last, limit: 1
            ).first {
                names.append(version.id.name)
            }
            #expect(names == ["1", "2"])
        },
        ScopeWay("the cursor of another scope") { (stores: Stores) async throws -> Void in
            for other in [stores.all, try stores.all.seen(by: "bo")] {
                let cursor = try #require(try await other.query(Photo.self).limit(1).page().next)
                await expect(.foreignCursor) { _ = try await stores.ann.query(Photo.self).after(cursor).page() }
            }
        },
        ScopeWay("lists and checks") { (stores: Stores) async throws -> Void in
            let ids = try await stores.view.allRecords.keys.map(\.type)
            #expect(Set(ids) == ["ScopePhoto", "ScopeAlbum", "ScopeCamera"])
            #expect(
                try await stores.view.records(ofType: "ScopeAlbum").reduce(into: []) { $0.append($1.id.name) } == [
                    "mixed"
                ])
            #expect(try await stores.view.referrers(of: [stores.annID])[stores.annID]?.map(\.record.name) == ["mixed"])
            let lost = try await stores.view.danglingReferences()
            #expect(Set(lost.map(\.context.record?.description)) == ["ScopeAlbum/mixed", "ScopePhoto/2"])
        },
        ScopeWay("a type without a rule") { (stores: Stores) async throws -> Void in
            await expect(.outsideScope) { _ = try await stores.ann.fetch(Secret.self, named: 1) }
            await expect(.outsideScope) { _ = try await stores.ann.query(Secret.self).count() }
            await expect(.outsideScope) { try await stores.ann.insert(Secret(id: 2)) }
            await expect(.outsideScope) { try await stores.ann.delete(Secret.self, named: 1) }
            await expect(.outsideScope) { for try await _ in stores.view.records(ofType: "ScopeSecret") {} }
        },
        ScopeWay("a live value") { (stores: Stores) async throws -> Void in
            var bos = stores.ann.live(Photo.self, named: 11).makeAsyncIterator()
            #expect(try await bos.nextValue().map { $0?.id == nil } == true)
            var anns = stores.ann.live(Photo.self, named: 1).makeAsyncIterator()
            #expect(try await anns.nextValue()??.title == "mine")
            try await stores.all.update(Photo.self, named: 1) { $0.owner = "bo" }
            #expect(try await anns.nextValue().map { $0?.id == nil } == true)
            try await stores.all.update(Photo.self, named: 1) { $0.owner = "ann" }
            #expect(try await anns.nextValue()??.owner == "ann")
        },
        ScopeWay("a feed") { (stores: Stores) async throws -> Void in
            #expect(stores.view.feed == nil)
        },
    ]
}

// MARK: Changing

extension ScopeWay {
    private static let changing: [ScopeWay] = [
        ScopeWay("an insert with a taken name") { (stores: Stores) async throws -> Void in
            await expectTaken { try await stores.ann.insert(Photo(id: 11, owner: "ann")) }
            await expectTaken { try await stores.ann.overwrite(Photo(id: 11, owner: "ann")) }
            await expectTaken { try await stores.ann.insert(Album(id: "new", owner: "ann", photos: [Photo(id: 11)])) }
        },
        ScopeWay("another owner") { (stores: Stores) async throws -> Void in
            await expect(.outsideScope) { try await stores.ann.insert(Photo(id: 30, owner: "bo")) }
            await expect(.outsideScope) { try await stores.ann.overwrite(Photo(id: 1, owner: "bo")) }
            await expect(.outsideScope) {
                try await stores.ann.insert(Album(id: "new", owner: "ann", photos: [Photo(id: 31, owner: "bo")]))
            }
            await expect(.outsideScope) { try await stores.ann.update(Photo.self, named: 1) { $0.owner = "bo" } }
            await expect(.outsideScope) { try await stores.ann.change(Photo.self, named: 1) { $0.owner.set("bo") } }
            await expect(.outsideScope) { try await stores.ann.change(Photo.self, named: 1) { $0.owner.set(nil) } }
        },
        ScopeWay("a change by name") { (stores: Stores) async throws -> Void in
            await expect(.recordNotFound) { try await stores.ann.update(Photo.self, named: 11) { $0.title = "x" } }
            await expect(.recordNotFound) { try await stores.ann.change(Photo.self, named: 11) { $0.title.set("x") } }
        },
        ScopeWay("a value in hand") { (stores: Stores) async throws -> Void in
            var photo = try await stores.all.fetch(Photo.self, named: 11)
            photo.title = "x"
            await expect(.unknownRecord) { [photo] in _ = try await stores.ann.save(photo) }
            photo.owner = "ann"
            await expect(.unknownRecord) { [photo] in _ = try await stores.ann.save(photo, merging: { $0.client }) }
            let records = try await stores.all.database.records(for: [stores.boID])
            await expectTaken {
                var mine = records
                mine[0]["owner"] = "ann"
                try await stores.view.commit(RecordBatch(saving: mine, savePolicy: .overwrite))
            }
        },
        ScopeWay("what is shared for reading") { (stores: Stores) async throws -> Void in
            let camera = try await stores.ann.fetch(Camera.self, named: "c").value
            try await stores.ann.insert(Photo(id: 30, owner: "ann", camera: camera))
            await expect(.outsideScope) { try await stores.ann.overwrite(Camera(id: "c", brand: "x")) }
            await expect(.outsideScope) { try await stores.ann.insert(Camera(id: "d", brand: "x")) }
            await expect(.outsideScope) { try await stores.ann.delete(Camera.self, named: "c", .dangling) }
            await expect(.outsideScope) {
                try await stores.ann.update(Photo.self, named: 30) { $0.camera?.brand = "x" }
            }
            try await stores.all.delete(Photo.self, named: 30)
        },
        ScopeWay("a transaction") { (stores: Stores) async throws -> Void in
            await expect(.recordNotFound) {
                try await stores.ann.transaction { store in _ = try await store.fetch(Photo.self, named: 11) }
            }
            await expectTaken {
                try await stores.ann.transaction { store in
                    #expect(try await store.fetchIfPresent(Photo.self, named: 11)?.id == nil)
                    _ = try await store.insert(Photo(id: 11, owner: "ann"))
                }
            }
            await expect(.outsideScope) {
                try await stores.ann.transaction { store in
                    _ = try await store.update(Photo.self, named: 1) { $0.owner = "bo" }
                }
            }
            let outer = try await stores.all.transaction { store in
                try await store.seen(by: "ann").fetchIfPresent(Photo.self, named: 11)?.id
            }
            #expect(outer == nil)
        },
        ScopeWay("the conditions of a batch") { (stores: Stores) async throws -> Void in
            let hidden = try await stores.all.database.records(for: [stores.boID])
            var batch = RecordBatch()
            batch.conditions = [.init(stores.boID, version: .missing)]
            try await stores.view.commit(batch)
            batch.conditions = [.init(stores.boID, version: RecordBatch.Version(of: hidden[0]))]
            await expect(.versionMismatch) { [batch] in try await stores.view.commit(batch) }
        },
    ]
}

// MARK: Deleting

extension ScopeWay {
    private static let deleting: [ScopeWay] = [
        ScopeWay("a deletion by name") { (stores: Stores) async throws -> Void in
            #expect(try await stores.ann.delete(Photo.self, named: 11) == [])
            #expect(try await stores.ann.delete(Photo.self, named: 11, [.cascading, .contents, .clearing]) == [])
            #expect(try await stores.ann.plan(deleting: Photo.self, named: 11).ids == [])
            try await stores.view.commit(RecordBatch(deletingAnyVersionOf: [stores.boID]))
            let photo = try await stores.all.fetch(Photo.self, named: 11)
            await expect(.versionMismatch) { try await stores.ann.delete(photo, .dangling) }
            let plan = try await stores.all.plan(deleting: Photo.self, named: 12, .dangling)
            try await stores.ann.delete(plan)
        },
        ScopeWay("a cascade") { (stores: Stores) async throws -> Void in
            try await stores.all.insert(Photo(id: 30, owner: "ann"))
            try await stores.all.insert(
                Comment(id: 1, owner: "bo", photo: try await stores.all.fetch(Photo.self, named: 30).value))
            for options: DeletionOptions in [[], .cascading, .dangling, [.cascading, .dangling], .clearing] {
                await expect(.stillReferenced) { try await stores.ann.delete(Photo.self, named: 30, options) }
            }
            #expect(try await stores.all.query(Comment.self).count() == 1)
            try await stores.all.delete(Photo.self, named: 30, .cascading)
        },
        ScopeWay("a reference from outside") { (stores: Stores) async throws -> Void in
            let photo = try await stores.all.insert(Photo(id: 30, owner: "ann"))
            try await stores.all.insert(Album(id: "b2", owner: "bo", photos: [photo.value]))
            let before = try await stores.all.database.records(for: [Record.ID("ScopeAlbum/b2")])
            await expect(.stillReferenced) { try await stores.ann.delete(Photo.self, named: 30) }
            await expect(.stillReferenced) { try await stores.ann.delete(photo, .cascading) }
            #expect(try await stores.ann.delete(Photo.self, named: 30, .clearing).count == 1)
            #expect(try await stores.all.database.records(for: [Record.ID("ScopeAlbum/b2")]) == before)
            try await stores.all.delete(Album.self, named: "b2", .dangling)
        },
        ScopeWay("contents") { (stores: Stores) async throws -> Void in
            var mixed = try #require(try await stores.all.database.records(for: [Record.ID("ScopeAlbum/mixed")]).first)
            mixed = try Record(id: Record.ID("ScopeAlbum/own"), fields: mixed.fields)
            try await stores.all.database.commit(RecordBatch(saving: [mixed]))
            let deleted = try await stores.ann.delete(Album.self, named: "own", [.contents, .cascading])
            #expect(deleted.map(\.description) == ["ScopeAlbum/own"])
        },
    ]
}
