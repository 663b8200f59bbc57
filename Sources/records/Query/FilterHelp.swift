extension [Command.Topic] {
    /// The language of filters.
    static let filters: [Command.Topic] = [
        Command.Topic(
            title: "Filters",
            rows: [
                ("FIELD = VALUE", "Also !=, <, <=, > and >=. Less and greater hold within one kind of values."),
                ("FIELD in (VALUE, …)", "It is one of these."),
                ("FIELD is null", "It is null; a missing field is not."),
                ("FIELD exists", "There is such a field, be it null."),
                ("FIELD prefix STRING", "A string begins with this one."),
                ("FIELD ~ STRING", "A string has this one in it, in whatever case."),
                ("FIELD contains VALUE", "A list has this element, or a string this part."),
                (
                    "FIELD within (SW, NE)",
                    "A location is in the box between the corners in the southwest and northeast."
                ),
                ("FIELD near (CENTRE, METRES)", "A location is at most so far away."),
                (
                    "FIELD refers to TYPE where (FILTER)",
                    "The filter holds for the record of this type that a reference, or one of a list, leads to. The "
                        + "part from 'where' on may be missing."
                ),
                ("not, and, or, ( )", "In this order, as far as brackets do not say otherwise."),
            ]),
        Command.Topic(
            title: "Fields",
            rows: [
                ("born, cover.colour", "A field; a value within a map."),
                ("place.latitude", "A part of a location; also longitude."),
                ("\"first name\"", "A name with spaces, full stops or signs, in single or double quotes."),
                ("@name, @id, @type", "The name of the record, its ID (with =, != and in), its type."),
                ("@created, @modified", "When it was saved first and last; also @changeTag."),
            ]),
        Command.Topic(
            title: "Values",
            rows: [
                ("\"text\", 'text', word", "A string. A word without quotes begins with a letter."),
                ("12, -0.5, 1e9", "A number."),
                ("true, false, null", "These."),
                ("2010-01-31", "A date; a time as in 2010-01-31T09:30:00+02:00."),
                ("Person/ada", "A reference."),
                ("57.05;-5.13", "A location, latitude first."),
                ("[1, 2], {\"$bytes\": \"aGk=\"}", "All else, as typed JSON has it."),
            ]),
    ]
}
