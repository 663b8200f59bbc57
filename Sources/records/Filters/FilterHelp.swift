extension Guide {
    /// The filter language.
    static let filters = Guide(
        name: "filters", summary: "The conditions of --where, the fields in them, and the values",
        tables: [
            Table(
                title: "Filters",
                rows: [
                    (
                        "FIELD = VALUE",
                        "Also ==, !=, <>, <, <=, > and >=. != is the opposite of =; < and > compare values of one kind."
                    ),
                    ("FIELD in (VALUE, …)", "The value is one of these."),
                    ("FIELD between A and B", "The value is not less than A, and not greater than B."),
                    ("FIELD like 'TEXT%'", "The string begins with TEXT; '%TEXT%': it contains TEXT, as written."),
                    ("FIELD is null", "The value is null; 'is not null': another value. A missing field is neither."),
                    ("FIELD exists", "The field exists; it may be null."),
                    ("FIELD prefix STRING", "The value is a string that begins with STRING."),
                    ("FIELD ~ STRING", "The value is a string that contains STRING, ignoring case."),
                    (
                        "FIELD matches 'PATTERN'",
                        "The value is a string with a part that this regular expression matches, such as '^St' or "
                            + "'(?i)a+$'. Of a list, an element."
                    ),
                    ("FIELD contains VALUE", "A list contains this element, or a string this part."),
                    (
                        "FIELD within (SW, NE)",
                        "The location is in the box with these southwest and northeast corners."
                    ),
                    ("FIELD near (CENTRE, METRES)", "The location is at most this far away."),
                    (
                        "FIELD refers to TYPE where (FILTER)",
                        "The filter holds for the target of a reference, or of one in a list, and the target has this "
                            + "type. 'where (FILTER)' is optional."
                    ),
                    ("not, and, or, ( )", "In this order of precedence; also !, && and ||. Parentheses group."),
                ]),
            Table(
                title: "Fields",
                rows: [
                    ("born, cover.colour", "A field; a value in a map."),
                    (
                        "zones.name, reads.title",
                        "A value in a map of a list, or in the record that a reference leads to."
                    ),
                    (
                        "^State.name",
                        "A value in the records of the type State that refer to the record; each condition holds if it "
                            + "holds for one of the values."
                    ),
                    ("place.latitude", "A part of a location; also longitude."),
                    ("\"first name\"", "A name with spaces, full stops or signs, in single or double quotes."),
                    ("@name, @id, @type", "The name of the record, its ID (with =, != and in), its type."),
                    (
                        "@created, @modified",
                        "The dates of the first and last save; > today, > yesterday. Also @changeTag."
                    ),
                ]),
            Table(
                title: "Values",
                rows: [
                    ("\"text\", 'text', word", "A string. A word without quotes begins with a letter."),
                    ("12, -0.5, 1e9", "A number."),
                    ("true, false, null", "Booleans and null."),
                    ("2010-01-31", "A date; with a time: 2010-01-31T09:30:00+02:00."),
                    ("Person/ada", "A reference."),
                    ("57.05;-5.13", "A location, latitude first."),
                    ("[1, 2], {\"$bytes\": \"aGk=\"}", "Any other value, in typed JSON."),
                ]),
        ])
}
