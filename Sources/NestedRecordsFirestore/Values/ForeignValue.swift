import NestedRecords

/// Values of Firestore that records lack, in the maps that represent them in a record.
enum ForeignValue {
    /// The map of a record for a value of Firestore.
    static func map(of json: JSONValue) -> Record.Value {
        if let path = json.onlyMember, path.name == "referenceValue", let text = path.value.text {
            return .map([Mark.reference.rawValue: .string(text)])
        }
        if let dimensions = vector(json) {
            return .map([Mark.vector.rawValue: .list(dimensions.map { .double($0) })])
        }
        return .map([Mark.firestore.rawValue: .string(String(decoding: json.bytes, as: UTF8.self))])
    }

    /// The value of Firestore that a map of a record may represent; nil for other maps.
    static func candidate(_ fields: Record.Fields) -> JSONValue? {
        switch (Mark(of: fields), fields.first?.value) {
        case (.reference, .string(let path)):
            return DocumentNames.isDocument(path) ? .object(["referenceValue": .text(path)]) : nil
        case (.vector, .list(let elements)):
            let dimensions = elements.compactMap { if case .double(let value) = $0 { value } else { Double?.none } }
            if dimensions.count < elements.count { return nil }
            let values = JSONValue.object([
                "values": .list(dimensions.map { NativeValue.double($0) })
            ])
            return .object([
                "mapValue": .object([
                    "fields": .object([
                        "__type__": .object(["stringValue": .text("__vector__")]),
                        "value": .object(["arrayValue": values]),
                    ])
                ])
            ])
        case (.firestore, .string(let text)):
            let json = try? JSONValue(reading: Array(text.utf8))
            return json?.onlyMember?.name.utf8.suffix(5).elementsEqual("Value".utf8) == true ? json : nil
        default: return nil
        }
    }

    /// The dimensions of a vector, as https://firebase.google.com/docs/firestore/vector-search and Google's clients have it.
    private static func vector(_ json: JSONValue) -> [Double]? {
        guard let fields = json["mapValue"]?["fields"]?.object, fields.values.count == 2,
            fields["__type__"]?["stringValue"]?.text == "__vector__", let array = fields["value"]?["arrayValue"]
        else { return nil }
        let elements = array["values"]?.elements ?? []
        let dimensions = elements.compactMap { $0["doubleValue"].flatMap(NativeValue.double) }
        return dimensions.count == elements.count ? dimensions : nil
    }
}
