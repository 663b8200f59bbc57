/// The program of a page.
///
/// Texts of records become text nodes, never markup.
enum PageScript {
    /// Reads the records of the page, and their references in both directions.
    static let records = #"""
        "use strict";
        const page = JSON.parse(document.getElementById("data").textContent);
        const records = page.records, colours = new Map(page.colours);
        const byID = new Map(), byType = new Map(), referrers = new Map(), outside = new Set();
        const typeOf = id => id.slice(0, id.indexOf("/"));
        const nameOf = id => id.slice(id.indexOf("/") + 1);
        const push = (map, key, value) => { map.has(key) ? map.get(key).push(value) : map.set(key, [value]); };
        const count = (number, word) => number.toLocaleString("en") + " " + word + (number === 1 ? "" : "s");

        function kindOf(value) {
            if (value === null) return "null";
            if (Array.isArray(value)) return value[0];
            return { boolean: "Boolean", number: "integer", string: "string" }[typeof value];
        }
        const textOf = value => Array.isArray(value) ? value[1] ?? "" : String(value);

        // The names and values of a record or a map from a position on, or the elements of a list.
        function pairs(values) {
            const found = [];
            for (let i = 1; i < values.length; i += 2) found.push([values[i], values[i + 1]]);
            return found;
        }
        const elements = list => list.slice(1).map((value, index) => [String(index), value]);

        // Calls a function with each value that is not a list or a map, and with the path of its field.
        function visit(value, path, found) {
            const kind = kindOf(value);
            if (kind === "list") for (let i = 1; i < value.length; i++) visit(value[i], path, found);
            else if (kind === "map") for (const [name, part] of pairs(value)) visit(part, path + "." + name, found);
            else found(value, path);
        }
        const visitRecord = (record, found) => pairs(record).forEach(([name, value]) => visit(value, name, found));

        for (const record of records) {
            byID.set(record[0], record);
            push(byType, typeOf(record[0]), record);
            visitRecord(record, (value, path) => {
                if (kindOf(value) !== "reference") return;
                push(referrers, value[1], [typeOf(record[0]) + "." + path, record[0]]);
                if (value.includes("outside", 2)) outside.add(value[1]);
            });
        }
        const missing = [...referrers.keys()].filter(id => !byID.has(id) && !outside.has(id));
        """#

    /// Makes the elements that show records and values.
    static let elements = #"""
        const step = 200, longest = 2000;
        const notesOf = { link: "link", deleteSelf: "this record is deleted with it" };

        function make(name, attributes, ...content) {
            const element = document.createElement(name);
            for (const key in attributes) element.setAttribute(key, attributes[key]);
            element.append(...content);
            return element;
        }
        const quiet = text => make("span", { class: "quiet" }, text);
        const swatch = type => make("span", { class: "swatch t" + colours.get(type), "aria-hidden": "true" });

        // A container with the first items, and a button for more: a long list would stop the page.
        function lazy(container, items, render) {
            const box = make("div", {}, container), button = make("button", { type: "button" });
            let next = 0;
            const add = () => {
                const added = items.slice(next, next += step).map(render);
                container.append(...added);
                const rest = items.length - next;
                if (rest > 0) {
                    button.textContent = "Show " + Math.min(step, rest) + " more of " + rest.toLocaleString("en");
                    box.append(button);
                } else button.remove();
                return added[0];
            };
            button.onclick = () => add().querySelector("a, summary")?.focus();
            add();
            return box;
        }

        // A foldable element whose content is made when it is opened.
        function fold(summary, isOpen, content) {
            const details = make("details", {}, make("summary", {}, ...summary));
            details.addEventListener("toggle", () => details.append(content()), { once: true });
            details.open = isOpen;
            return details;
        }

        // The text by which people recognise a record.
        function keyText(record) {
            const fields = pairs(record).filter(([, value]) => typeof value === "string" && value !== "");
            const named = ["name", "title", "label"].map(name => fields.find(field => field[0] === name));
            const field = named.find(Boolean) ?? fields.find(([, value]) => value.length <= 80);
            return field && field[1] !== nameOf(record[0]) ? field[1].slice(0, 80) : "";
        }

        function link(id, name = id, note = keyText(byID.get(id) ?? [id])) {
            const isMissing = !byID.has(id);
            const content = isMissing ? [] : [swatch(typeOf(id))];
            content.push(make("bdi", { class: "id" }, name));
            if (note) content.push(" ", make("bdi", { class: "quiet" }, note));
            if (isMissing) content.push(" ", quiet(outside.has(id) ? "not in this page" : "missing"));
            const address = "#r/" + encodeURIComponent(id);
            return make("a", { href: address, class: isMissing ? "record missing" : "record" }, ...content);
        }
        const links = (ids, name) => lazy(make("ul"), ids, id => make("li", {}, link(id, name?.(id))));
        const idsOf = type => (byType.get(type) ?? []).map(record => record[0]);

        function longText(text) {
            if (text === "") return quiet("empty");
            const shown = make("span", { class: "text", dir: "auto" }, text.slice(0, longest));
            if (text.length <= longest) return shown;
            const button = make("button", { type: "button" }, "Show all " + count(text.length, "character"));
            button.onclick = () => { shown.textContent = text; button.remove(); };
            return make("div", {}, shown, "… ", button);
        }

        function shown(value, depth) {
            const kind = kindOf(value);
            if (kind === "reference") {
                const notes = value.slice(2).filter(note => notesOf[note]);
                return make("span", {}, link(value[1]), ...notes.map(note => quiet(" · " + notesOf[note])));
            }
            if (kind === "list" || kind === "map") {
                const rows = kind === "list" ? elements(value) : pairs(value);
                if (rows.length === 0) return quiet("empty");
                const summary = count(rows.length, kind === "list" ? "element" : "field");
                return fold([summary], rows.length <= 12 && depth < 3, () => table(rows, depth + 1));
            }
            return kind === "null" ? quiet("null") : longText(textOf(value));
        }

        function table(rows, depth) {
            const body = make("tbody"), whole = make("table", {});
            if (depth === 0) {
                const heads = ["Field", "Kind", "Value"].map(text => make("th", { scope: "col" }, text));
                whole.append(make("thead", {}, make("tr", {}, ...heads)));
            }
            const box = lazy(body, rows, ([name, value]) => {
                const kind = kindOf(value) === "reference" ? "→ " + typeOf(value[1]) : kindOf(value);
                return make("tr", {}, make("th", { scope: "row" }, make("bdi", {}, name)),
                    make("td", { class: "kind" }, kind), make("td", {}, shown(value, depth)));
            });
            box.prepend(whole);
            whole.append(body);
            return box;
        }
        """#
}
