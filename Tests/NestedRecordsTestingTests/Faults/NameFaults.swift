import NestedRecords
import TestSupport

extension DatabaseFault {
    static let names = [
        DatabaseFault(
            "finds records by name alone", violates: "keeps records of one name and several types apart",
            saying: "was found twice"
        ) { .findingRecords { $0.name } },
        DatabaseFault(
            "ignores case", violates: "keeps names apart that differ in case or width alone", saying: "was found twice"
        ) { .findingRecords { $0.description.lowercased() } },
        DatabaseFault(
            "takes names for numbers", violates: "keeps names apart that differ in case or width alone",
            saying: "was found twice"
        ) { .findingRecords { Double($0.name)?.description ?? $0.name } },
        DatabaseFault(
            "compares names as texts", violates: "keeps names apart that differ in their bytes alone",
            saying: "was found twice"
        ) { .findingRecords { $0.description } },
        DatabaseFault(
            "takes slashes for folders", violates: "takes every name that an ID can have", saying: "was found twice"
        ) { .findingRecords { $0.name.split(separator: "/").last ?? "" } },
        DatabaseFault(
            "trims names", violates: "takes every name that an ID can have", saying: "was found twice"
        ) { .findingRecords { $0.name.filter { $0 != " " } } },
        DatabaseFault(
            "refuses what a file could not be called", violates: "takes every name that an ID can have",
            saying: "Malfunction"
        ) { .distorting { if $0.id.name == "con" { throw Malfunction() } } },
        DatabaseFault(
            "cuts long names", violates: "takes types and names of 255 bytes", saying: "was found twice"
        ) { .findingRecords { [Array($0.type.utf8.prefix(254)), Array($0.name.utf8.prefix(254))] } },
    ]
}
