extension Guide {
    /// The addresses of databases that are not files.
    static let addresses = Guide(
        name: "addresses", summary: "The databases that are not files, and how to sign in",
        tables: [
            Table(
                title: "PostgreSQL",
                rows: [
                    ("postgresql://USER@HOST:PORT/DATABASE?PARAMETERS", "A connection URI of libpq."),
                    ("schema=NAME", "A parameter: the schema of the tables (default: nested_records)."),
                    (
                        "PGPASSWORD, ~/.pgpass",
                        "The password. Other users of a machine see command lines. No message shows a password."
                    ),
                ]),
            Table(
                title: "Services of records",
                rows: [
                    ("https://HOST/PATH", "A service of the module NestedRecordsHTTP."),
                    ("NESTEDRECORDS_TOKEN", "The access token."),
                    ("NESTEDRECORDS_TOKEN_FILE", "The path of a file with the access token."),
                ]),
            Table(
                title: "Firestore",
                rows: [
                    (
                        "firestore://PROJECT/DATABASE/PATH",
                        "DATABASE is '(default)' if it is left out, and PATH, such as users/ann, is a document below which "
                            + "the collections are. Firestore bills reads and writes."
                    ),
                    (
                        "collection=TYPE:COLLECTION",
                        "A parameter: the collection of a type, which is otherwise one of its name. Write '?' before the "
                            + "first parameter and '&' before others."
                    ),
                    (
                        "type=TYPE",
                        "A parameter: a type of records, where the access token may not list the collections. Repeat it for "
                            + "each type."
                    ),
                    (
                        "journal",
                        "A parameter: the other writers of the database keep a journal, as 'log' and 'sync' need it."
                    ),
                    ("CLOUDSDK_AUTH_ACCESS_TOKEN", "The access token, as for gcloud."),
                    ("access=metadata", "A parameter: take the access token of the machine, on Google Cloud."),
                    (
                        "GOOGLE_APPLICATION_CREDENTIALS",
                        "The path of the key of a service account, for a build that can sign: one for Apple's systems, or "
                            + "one with the package trait OpenSSL."
                    ),
                    ("FIRESTORE_EMULATOR_HOST", "The host and the port of an emulator to use."),
                ]),
            Table(
                title: "CloudKit",
                rows: [
                    (
                        "cloudkit://CONTAINER/ENVIRONMENT/DATABASE/ZONE",
                        "ENVIRONMENT is development or production, and DATABASE is private or public. ZONE is a zone of "
                            + "the private database, NestedRecords if it is left out; a command that writes creates it."
                    ),
                    ("untyped=TYPE.FIELD", "A parameter: a field whose values have several types."),
                    ("type=TYPE", "A parameter: a type of the public database, which does not list its types."),
                    (
                        "naming=plain",
                        "A parameter: take the names of records there as an app has given them; target=TYPE.FIELD:TYPE "
                            + "says to which type the references of a field lead."
                    ),
                    ("CLOUDKIT_API_TOKEN", "For the private database: the API token of the container."),
                    (
                        "CLOUDKIT_WEB_TOKEN_FILE",
                        "The path of a file with the web token of the user. Each answer of CloudKit replaces the token, so "
                            + "the tool writes the file: run one command at a time with it."
                    ),
                    (
                        "CLOUDKIT_KEY_ID, CLOUDKIT_PRIVATE_KEY_FILE",
                        "For the public database: the ID of a server-to-server key, and the path of its PEM file, for a "
                            + "build that can sign."
                    ),
                ]),
        ])
}
