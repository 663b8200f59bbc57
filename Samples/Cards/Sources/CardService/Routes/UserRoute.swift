import CardModel
import Hummingbird

/// The route that answers whose token a request has.
struct UserRoute {
    func add(to group: RouterGroup<CardsContext>) {
        group.get("user") { _, context in
            let name = try context.user
            return try Response(json: DeckView.Person(User(id: name, name: name)))
        }
    }
}
