extension PageScript {
    /// Shows what the address names: a record (`#r/Book/2`), a type (`#t/Book`), or everything.
    static let views = #"""
        const main = document.getElementById("main"), list = document.getElementById("list");
        const title = document.title;
        const types = [...byType.keys()].sort();

        function heading(id) {
            return make("h2", {}, ...(byID.has(id) ? [swatch(typeOf(id))] : []), make("bdi", {}, id));
        }

        function referredTo(id) {
            const groups = new Map();
            for (const [field, owner] of referrers.get(id) ?? []) push(groups, field, owner);
            const total = new Set((referrers.get(id) ?? []).map(([, owner]) => owner)).size;
            if (total === 0) return [make("h3", {}, "Referred to by no record")];
            const folds = [...groups.keys()].sort().map(field => {
                const owners = [...new Set(groups.get(field))];
                const summary = [make("bdi", {}, field), " ", quiet(count(owners.length, "record"))];
                return fold(summary, owners.length <= 20 || groups.size === 1, () => links(owners));
            });
            return [make("h3", {}, "Referred to by " + count(total, "record")), ...folds];
        }

        function recordView(id) {
            const record = byID.get(id);
            const absent = outside.has(id) ? "This page does not have this record." : "No record has this ID.";
            const fields = !record ? make("p", {}, absent)
                : record.length > 1 ? table(pairs(record), 0) : make("p", {}, "This record has no fields.");
            return [heading(id), fields, ...referredTo(id)];
        }

        function typeView(type) {
            const ids = idsOf(type), lost = missing.filter(id => typeOf(id) === type);
            const parts = [make("h2", {}, ...(colours.has(type) ? [swatch(type)] : []), type)];
            parts.push(make("p", {}, count(ids.length, "record")), links(ids, nameOf));
            if (lost.length > 0) parts.push(make("h3", {}, "Missing"), links(lost, nameOf));
            return parts;
        }

        function overview() {
            const drawing = document.getElementById("drawing").content.cloneNode(true);
            const parts = [make("h2", {}, count(records.length, "record") + " of " + count(types.length, "type"))];
            parts.push(make("figure", { tabindex: "0", "aria-label": "Drawing" }, drawing));
            if (missing.length > 0) {
                const summary = [count(missing.length, "missing record")];
                parts.push(fold(summary, missing.length <= 20, () => links(missing)));
            }
            return parts;
        }

        function show() {
            let [, view, name] = /^#([rt])\/(.*)$/s.exec(location.hash) ?? [];
            try { name = decodeURIComponent(name); } catch { /* The name has a lone percent sign. */ }
            main.replaceChildren(...(view === "r" ? recordView(name) : view === "t" ? typeView(name) : overview()));
            for (const figure of main.querySelectorAll("figure")) {
                figure.scrollLeft = (figure.scrollWidth - figure.clientWidth) / 2;
            }
            document.body.classList.toggle("chosen", Boolean(view));
            document.body.classList.remove("searching");
            document.title = view ? name + " – " + title : title;
            for (const link of list.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
            const current = view && list.querySelector('a[href="' + location.hash.replace(/["\\]/g, "\\$&") + '"]');
            current?.setAttribute("aria-current", "page");
        }
        addEventListener("hashchange", () => {
            show();
            scrollTo(0, 0);
            main.focus({ preventScroll: true });
        });
        """#

    /// Lists the types, and the records that have all words of a search.
    static let search = #"""
        const search = document.getElementById("search");
        const results = make("div", { hidden: "" });
        const folds = make("div", {}, ...types.map(type => {
            const summary = [swatch(type), type, " ", quiet(byType.get(type).length.toLocaleString("en"))];
            return fold(summary, types.length === 1, () => links(idsOf(type), nameOf));
        }));
        const status = make("p", { role: "status", class: "quiet" });
        list.append(status, folds, results);

        const folded = text => text.normalize("NFC").toLowerCase();
        const isSearched = value => !["reference", "bytes"].includes(kindOf(value));
        let ids, texts;

        function readTexts() {
            ids = records.map(record => folded(record[0]));
            texts = records.map((record, index) => {
                const parts = [ids[index]];
                visitRecord(record, value => { if (isSearched(value)) parts.push(textOf(value)); });
                return folded(parts.join("\n"));
            });
        }

        // The first value with one of the words, cut around it.
        function excerpt(record, words) {
            let found = "";
            visitRecord(record, (value, path) => {
                if (found || !isSearched(value)) return;
                const text = textOf(value), lower = folded(text);
                const start = words.map(word => lower.indexOf(word)).find(position => position >= 0);
                if (start === undefined) return;
                const from = start > 40 ? start - 20 : 0;
                found = path + ": " + (from > 0 ? "…" : "") + text.slice(from, from + 80);
            });
            return found;
        }

        function find() {
            const words = folded(search.value).split(/\s+/).filter(Boolean);
            const isSearch = words.length > 0;
            folds.hidden = isSearch;
            results.hidden = !isSearch;
            document.body.classList.toggle("searching", isSearch);
            status.textContent = "";
            results.replaceChildren();
            if (!isSearch) return;
            if (!texts) readTexts();
            const inIDs = [], inTexts = [];
            records.forEach((record, index) => {
                if (words.every(word => ids[index].includes(word))) inIDs.push(record);
                else if (words.every(word => texts[index].includes(word))) inTexts.push(record);
            });
            // The shorter the ID, the more of it is the searched text.
            inIDs.sort((one, other) => one[0].length - other[0].length);
            const found = inIDs.concat(inTexts);
            status.textContent = found.length === 0 ? "No record has this text" : count(found.length, "record");
            const item = (record, index) => {
                const note = index < inIDs.length ? undefined : excerpt(record, words);
                return make("li", {}, link(record[0], record[0], note));
            };
            results.append(lazy(make("ul"), found.map((record, index) => [record, index]), pair => item(...pair)));
        }
        search.addEventListener("input", find);
        search.addEventListener("focus", () => {
            document.body.classList.toggle("searching", search.value.trim() !== "");
        });
        list.addEventListener("click", event => {
            if (event.target.closest("a")) document.body.classList.remove("searching");
        });

        document.addEventListener("keydown", event => {
            if (event.ctrlKey || event.metaKey || event.altKey) return;
            const isInList = event.target === search || list.contains(event.target);
            if (event.key === "/" && event.target !== search) search.focus();
            else if (event.key === "Enter" && event.target === search) results.querySelector("a")?.click();
            else if (event.key === "Escape" && isInList) { search.value = ""; find(); search.focus(); }
            else if (isInList && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
                const stops = [search, ...list.querySelectorAll("a, summary, button")].filter(stop => stop.offsetParent);
                const next = stops.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1);
                stops[Math.max(0, Math.min(next, stops.length - 1))].focus();
            } else return;
            event.preventDefault();
        });
        show();
        """#
}
