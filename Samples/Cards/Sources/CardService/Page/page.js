// The page of the service. The cards of a deck come from its stream of events; each change names the tag of the version
// that was read. Texts of users are always set as text, so no text becomes HTML.

const $ = (selector) => document.querySelector(selector);
const all = (selector) => [...document.querySelectorAll(selector)];
const token = () => sessionStorage.getItem("token");
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const moment = (text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
/** A time as the service reads it, without fractions of a second. */
const instant = (date) => date.toISOString().replace(/\.\d+Z$/, "Z");
/** A value of the service as a patch has it: people by their names. */
const plain = (value) => value.members ? { ...value, members: value.members.map((person) => person.id) } : value;
const pageSize = 50;

/** What the page shows. `leave` ends the requests of the present view. */
const state = { user: "", message: "", decks: [], next: null, deck: null, cards: [], shown: 0 };
state.leave = new AbortController();

/** The fields of decks and cards: how an input shows a value, and what is sent for its text. */
const text = { show: (value) => value ?? "", read: (text) => text };
const fields = {
    deck: [
        { ...text, name: "title", label: "Title", input: "input", options: { required: true } },
        { name: "members", label: "Members, who may read it: one name a line", input: "textarea",
            show: (names) => (names ?? []).join("\n"),
            read: (text) => text.split("\n").map((name) => name.trim()).filter((name) => name) },
    ],
    card: [
        { ...text, name: "front", label: "Front", input: "textarea", options: { required: true } },
        { ...text, name: "back", label: "Back", input: "textarea", options: { required: true } },
        { name: "due", label: "Due", input: "input", options: { type: "datetime-local" }, describe: moment,
            show: (text) => {
                if (!text) return "";
                const date = new Date(text);
                return new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
            },
            read: (text) => text ? instant(new Date(text)) : null },
        { name: "level", label: "Level, 0 to 10", input: "input",
            options: { type: "number", min: 0, max: 10, required: true },
            show: (level) => String(level ?? 0), read: Number },
    ],
};

function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

// Requests

/** Sends a request with JSON or a file; an answer that is no success is thrown with its status, its problem and its tag. */
async function request(path, { method = "GET", body, tag, headers = {}, signal, cache = "no-store" } = {}) {
    headers = { Authorization: `Bearer ${token()}`, ...headers };
    const isFile = body instanceof File;
    if (body) headers["Content-Type"] = isFile ? body.type : "application/json";
    if (tag) headers["If-Match"] = tag;
    const options = { method, headers, cache, body: body && !isFile ? JSON.stringify(body) : body };
    const response = await fetch(path, { ...options, signal: signal ?? AbortSignal.timeout(isFile ? 90_000 : 30_000) })
        .catch((error) => { throw signal?.aborted ? error : new Error("The service cannot be reached."); });
    if (!response.ok) {
        const problem = await response.json().catch(() => ({}));
        const message = problem.detail ?? problem.title ?? `The service answers ${response.status}.`;
        const { status, headers } = response;
        throw Object.assign(new Error(message), { status, problem, tag: headers.get("ETag") });
    }
    // The service answers, so a stream that waits need wait no longer.
    tryAgain();
    return response;
}

async function read(path) {
    const response = await request(path);
    return { value: plain(await response.json()), tag: response.headers.get("ETag") };
}

/** Sends a patch. A conflict is resolved by the user and sent with the new tag; false if the user gives up. */
async function change(kind, path, base, tag, patch) {
    while (Object.keys(patch).length) {
        try {
            await request(path, { method: "PATCH", tag, body: patch });
            return true;
        } catch (error) {
            if (error.status !== 412) throw error;
            const [sent, current] = [error.problem.sent, plain(error.problem.current)];
            patch = await resolve(kind, { ...base, ...sent }, sent, current);
            [base, tag] = [current, error.tag];
            if (!patch) return false;
        }
    }
    return true;
}

/** Shows an error in the open dialog or on the page. */
function report(error) {
    if (error.name === "AbortError") return;
    if (error.status === 401) return signOut("The service does not know this token.");
    (all("dialog[open] .problem").at(-1) ?? $("#problem")).textContent = error.message;
}

/** Runs an action for an event, not twice at the same time. */
function on(selector, event, action) {
    let isRunning = false;
    $(selector).addEventListener(event, async (details) => {
        if (event === "submit") details.preventDefault();
        if (isRunning) return;
        isRunning = true;
        for (const problem of all(".problem")) problem.textContent = "";
        try { await action(details); } catch (error) { report(error); }
        isRunning = false;
    });
}

// Events

let tryAgain = () => {};
addEventListener("online", () => tryAgain());

function showConnection(state, text) {
    $("#connection").dataset.state = state;
    $("#connection").textContent = text;
}

/** The events of a stream. `heard` is called for whatever the service sends. */
async function* events(body, heard) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
        const { value, done } = await reader.read();
        if (done) return;
        heard();
        const parts = (rest + value).split("\n\n");
        rest = parts.pop();
        for (const part of parts) {
            const lines = [...part.matchAll(/^(event|id|data): ?(.*)$/gm)];
            const event = Object.fromEntries(lines.map(([, name, value]) => [name, value]));
            if (event.data) yield event;
        }
    }
}

/** Follows a deck until the user leaves it. After a cut it goes on from the last event; it waits longer each time. */
async function follow(path, leave) {
    let last, cutAt, silence, wait = 500;
    while (!leave.aborted) {
        const attempt = new AbortController();
        // The service sends something every 15 seconds, so a longer silence is a cut.
        const heard = () => {
            clearTimeout(silence);
            silence = setTimeout(() => attempt.abort(), 40_000);
        };
        let reason = "";
        try {
            heard();
            const headers = last ? { "Last-Event-ID": last } : {};
            const signal = AbortSignal.any([leave, attempt.signal]);
            const response = await request(`${path}/events`, { headers, signal });
            showConnection("live", cutAt ? `Live again since ${new Date().toLocaleTimeString()}` : "Live");
            [cutAt, wait] = [null, 500];
            for await (const { event, id, data } of events(response.body, heard)) {
                if (leave.aborted) return;
                if (event === "gone") return leaveDeck("The deck was deleted or is no longer shared with you.");
                last = id ?? last;
                state[event] = JSON.parse(data);
                if (event === "deck") showDeck(); else showCards();
                compareEditor();
            }
        } catch (error) {
            if (leave.aborted) return;
            if (error.status === 401) return report(error);
            if (error.status === 404) return leaveDeck("There is no such deck.");
            // The service no longer knows the last event: it sends all cards again.
            if (error.status === 410 || error.status === 400) last = undefined;
            if (error.status) reason = error.message;
        } finally {
            clearTimeout(silence);
        }
        cutAt ??= new Date().toLocaleTimeString();
        showConnection("cut", `Connection cut at ${cutAt}, trying again. ${reason}`);
        await new Promise((done) => { tryAgain = done; setTimeout(done, wait * (0.75 + Math.random() / 2)); });
        wait = Math.min(wait * 2, 15_000);
    }
}

// Views

function signOut(message = "") {
    sessionStorage.removeItem("token");
    Object.assign(state, { user: "", message });
    route();
}

/** Leaves a deck that is gone for the list of decks. */
function leaveDeck(message = "") {
    state.leave.abort();
    state.message = $("#problem").textContent = message;
    location.hash = "#/";
}

/** Shows the view of the address. */
async function route() {
    state.leave.abort();
    state.leave = new AbortController();
    const leave = state.leave.signal;
    for (const dialog of all("dialog[open]")) dialog.close();
    $("#problem").textContent = state.message;
    state.message = "";
    document.title = "Cards";
    showConnection("none", "");
    if (token() && !state.user) state.user = (await read("/user")).value.id;
    if (leave.aborted) return;
    const [, id] = /^#\/decks\/([\w-]+)$/.exec(location.hash) ?? [];
    const view = !token() ? "sign-in" : id ? "deck" : "decks";
    for (const section of all("main > section")) section.hidden = section.id !== view;
    $("#sign-out").hidden = !token();
    for (const search of all("[type=search]")) search.value = "";
    if (view === "sign-in") return $("#token").focus();
    if (view === "decks") return readDecks();
    Object.assign(state, { deck: null, cards: [], shown: pageSize });
    [$("#title").textContent, $("#people").textContent] = ["Deck", ""];
    for (const button of all(".own")) button.hidden = true;
    fillList("#deck", [], "Reading…", false, rowOfCard);
    showConnection("connecting", "Connecting…");
    await follow(`/decks/${id}`, leave);
}

/** Fills a list. A row keeps its element, so that it keeps the focus; that of a removed row goes to its neighbour. */
function fillList(view, items, summary, hasMore, textsOf) {
    const list = $(`${view} .list`);
    const focused = list.contains(document.activeElement) ? document.activeElement : null;
    const place = [...list.children].indexOf(focused?.parentElement);
    const old = new Map([...list.children].map((row) => [row.dataset.id, row]));
    items.forEach((item, index) => {
        const row = old.get(item.id) ?? element("li", {}, element("button"));
        old.delete(item.id);
        row.dataset.id = item.id;
        const spans = textsOf(item).map((textContent) => element("span", { dir: "auto", textContent }));
        row.firstChild.replaceChildren(...spans);
        if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    for (const row of old.values()) row.remove();
    $(`${view} .count`).textContent = summary;
    $(`${view} .more`).hidden = !hasMore;
    if (!focused || document.activeElement === focused) return;
    const neighbour = list.children[Math.min(place, items.length - 1)]?.firstChild;
    (focused.isConnected ? focused : neighbour ?? $(`${view} [type=search]`)).focus();
}

const people = (deck) => ["Yours", ...deck.members.map((one) => one.name)].join(", ").replace(", ", ", read by ");
const rowOfDeck = (deck) => [deck.title, deck.owner.id === state.user ? people(deck) : `Of ${deck.owner.name}, to read`];
const rowOfCard = (card) => [card.front, card.back,
    `Level ${card.level}${card.due ? `, due ${moment(card.due)}` : ""}${card.picture ? ", with a picture" : ""}`];
const searched = (view) => $(`${view} [type=search]`).value.trim();

async function readDecks(path) {
    const search = searched("#decks");
    const first = `/decks?limit=${pageSize}${search && `&title=${encodeURIComponent(search)}`}`;
    const { items, next } = await (await request(path ?? first, { signal: state.leave.signal })).json();
    // Another search has begun.
    if (search !== searched("#decks")) return;
    Object.assign(state, { decks: path ? [...state.decks, ...items] : items, next });
    const summary = next ? `The first ${state.decks.length} decks` : count(state.decks.length, "deck");
    fillList("#decks", state.decks, summary, next, rowOfDeck);
}

function showDeck() {
    const isOwn = state.deck.owner.id === state.user;
    document.title = `${state.deck.title} – Cards`;
    $("#title").textContent = state.deck.title;
    $("#people").textContent = isOwn ? people(state.deck) : `A deck of ${state.deck.owner.name}, which you may read`;
    for (const button of all(".own")) button.hidden = !isOwn;
}

function showCards() {
    const search = searched("#deck").toLowerCase();
    const found = state.cards.filter((card) => `${card.front}\n${card.back}`.toLowerCase().includes(search));
    const summary = (search ? `${found.length} of ` : "") + count(state.cards.length, "card");
    fillList("#deck", found.slice(0, state.shown), summary, found.length > state.shown, rowOfCard);
}

// Dialogs

/** Opens a dialog and waits for the value of the button that closes it. */
function ask(selector) {
    const dialog = $(selector);
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true }));
}

let editing = null;

/** Opens the editor: for a new value without a value, and only to read it without a tag. */
function edit(kind, path, { value, tag } = {}) {
    const isReadOnly = Boolean(value && !tag);
    editing = { kind, path, value, tag, isReadOnly, isSaving: false };
    $("#editor-title").textContent = `${value ? tag ? "Edit" : "Read" : "New"} ${kind}`;
    $("#editor .fields").replaceChildren(...fields[kind].flatMap(({ name, label, input, options }) => [
        element("label", { htmlFor: `field-${name}`, textContent: label }),
        element(input, { id: `field-${name}`, dir: "auto", readOnly: isReadOnly, ...options }),
    ]));
    fillEditor(value);
    $("#editor .picture").hidden = kind !== "card";
    for (const own of all("#editor .picture .own")) own.hidden = isReadOnly;
    $("#editor .notice").textContent = "";
    $("#editor .save").hidden = isReadOnly;
    $("#editor .delete").hidden = !tag || kind === "deck";
    $("#editor .cancel").textContent = isReadOnly ? "Close" : "Cancel";
    $("#editor").showModal();
}

function fillEditor(value) {
    for (const { name, show } of fields[editing.kind]) {
        const input = $(`#field-${name}`);
        input.value = show(value?.[name]);
        // An input may show a value in another form, such as other line breaks.
        input.dataset.shown = input.value;
    }
    choosePicture({});
}

/** The fields that the user has changed, or all fields. */
function changes(isWhole = false) {
    const inputs = fields[editing.kind].map(({ name, read }) => ({ name, read, input: $(`#field-${name}`) }));
    const changed = inputs.filter(({ input }) => isWhole || input.value !== input.dataset.shown);
    return Object.fromEntries(changed.map(({ name, read, input }) => [name, read(input.value)]));
}

async function save() {
    const { kind, path, value, tag } = editing;
    editing.isSaving = true;
    try {
        if (value) {
            if (!await change(kind, path, value, tag, changes())) return;
        } else {
            const response = await request(path, { method: "POST", body: changes(true) });
            if (kind === "deck") location.hash = `#${response.headers.get("Location")}`;
            if (editing.file) {
                // If the picture is refused, the next attempt is about this card.
                const path = response.headers.get("Location");
                Object.assign(editing, { path, ...await read(path) });
            }
        }
        await savePicture();
        $("#editor").close();
    } finally {
        editing.isSaving = false;
    }
}

// Pictures

/** Shows the picture of a card, or none. The token goes along in a header, so the image is read as a file. */
async function showPicture(image, card) {
    const name = card?.picture ? `${pathOfCard(card.id)} ${card.picture.hash}` : "";
    if (image.dataset.name === name) return;
    fillImage(image, name, null);
    if (!name) return;
    // The browser asks each time whether its picture is the present one.
    const response = await request(`${pathOfCard(card.id)}/picture`, { cache: "no-cache" });
    const file = await response.blob();
    if (image.dataset.name === name) fillImage(image, name, file);
}

function fillImage(image, name, file) {
    if (image.src) URL.revokeObjectURL(image.src);
    image.dataset.name = name;
    image.hidden = !file;
    if (file) image.src = URL.createObjectURL(file); else image.removeAttribute("src");
}

/** Notes a new file, or that the picture is to be removed, and shows what the card will have. */
function choosePicture({ file, isRemoved = false }) {
    if (!file) $("#picture").value = "";
    Object.assign(editing, { file, isRemoved });
    const image = $("#editor img");
    if (file || isRemoved) fillImage(image, "chosen", file);
    else showPicture(image, editing.value).catch(report);
    $("#editor .remove").hidden = editing.isReadOnly || !file && (isRemoved || !editing.value?.picture);
}

/** Sends what the user has chosen. A picture that others have changed in between stays, and is shown. */
async function savePicture() {
    const { path, value, file, isRemoved } = editing;
    if (!file && !isRemoved) return;
    const headers = value?.picture ? { "If-Match": `"${value.picture.hash}"` } : { "If-None-Match": "*" };
    try {
        await request(`${path}/picture`, { method: file ? "PUT" : "DELETE", body: file, headers });
    } catch (error) {
        if (error.status !== 412) throw error;
        Object.assign(editing, await read(path));
        fillEditor(editing.value);
        throw new Error("The picture was changed by others, and is shown now. Choose again.");
    }
}

/** Says in the editor that others have changed or deleted the value; a value that is only read is replaced. */
function compareEditor() {
    if (!$("#editor").open || !editing.value || editing.isSaving) return;
    const { kind, value, isReadOnly } = editing;
    const present = kind === "deck" ? plain(state.deck) : state.cards.find((card) => card.id === value.id);
    const isSame = JSON.stringify(present) === JSON.stringify(value);
    if (present && isReadOnly && !isSame) fillEditor(editing.value = present);
    $("#editor .notice").textContent = isSame || present && isReadOnly ? "" : present
        ? `This ${kind} was changed by others. When you save, you see both versions.`
        : "This card was deleted by others.";
}

/** Shows two versions side by side, and returns the patch of the fields whose own version is chosen; null for none. */
async function resolve(kind, mine, sent, theirs) {
    const differing = fields[kind].filter(({ name, show }) => show(mine[name]) !== show(theirs[name]));
    if (!differing.length) return {};
    const side = ({ name, show, describe = show }, title, value, checked) => element("label", {},
        element("input", { type: "radio", name: `side-${name}`, value: title, checked }),
        element("b", { textContent: title }),
        element("span", { dir: "auto", textContent: show(value) ? describe(value) : "–" }));
    $("#conflict .fields").replaceChildren(...differing.map((field) => element("fieldset", {},
        element("legend", { textContent: field.label }),
        side(field, "Mine", mine[field.name], field.name in sent),
        side(field, "Theirs", theirs[field.name], !(field.name in sent)))));
    if (await ask("#conflict") !== "save") return null;
    const own = differing.filter(({ name }) => $(`#conflict [name=side-${name}]:checked`).value === "Mine");
    return Object.fromEntries(own.map(({ name }) => [name, mine[name] ?? null]));
}

/** Shows what a deletion deletes, and deletes it if the user agrees; what has changed in between is shown again. */
async function remove(kind, path) {
    for (let note = ""; ; note = `The ${kind} has changed in between. `) {
        const { value, tag } = await read(path);
        const plan = kind === "card" ? { decks: [], cards: [value.id] }
            : await (await request(`${path}?plan`, { method: "DELETE", tag })).json();
        const counts = [[plan.decks, "deck"], [plan.cards, "card"]].filter(([ids]) => ids.length);
        const names = new Map([value, ...state.cards].map(({ id, title, front }) => [id, title ?? front]));
        $("#deletion .plan").textContent =
            `${note}This deletes ${counts.map(([ids, noun]) => count(ids.length, noun)).join(" and ")}:`;
        $("#deletion ul").replaceChildren(...[...plan.decks, ...plan.cards].map((id) =>
            element("li", { dir: "auto", textContent: names.get(id) ?? id })));
        if (await ask("#deletion") !== "delete") return false;
        try {
            await request(path, { method: "DELETE", tag });
            return true;
        } catch (error) {
            if (error.status !== 412) throw error;
        }
    }
}

// Learning

let learning = null;
const pathOfDeck = () => `/decks/${state.deck.id}`;
const pathOfCard = (id) => `${pathOfDeck()}/cards/${id}`;

/** Shows the front of the next card whose time has come, or of a given card. */
async function showFront(given) {
    const isDue = (card) => !learning.seen.has(card.id) && !(new Date(card.due ?? 0) > new Date());
    const due = state.cards.filter(isDue);
    Object.assign(learning, given ?? (due.length ? await read(pathOfCard(due[0].id)) : { value: null }));
    $("#learning .count").textContent = `${count(due.length, "card")} to learn`;
    flip(false);
}

function flip(showsBack) {
    $("#learning .front").textContent = learning.value?.front ?? "Nothing is due now.";
    showPicture($("#learning img"), learning.value).catch(report);
    $("#learning .back").textContent = showsBack ? learning.value.back : "";
    $("#learning .flip").hidden = !learning.value || showsBack;
    $("#learning .right").hidden = $("#learning .wrong").hidden = !showsBack;
    $(`#learning .${showsBack ? "right" : learning.value ? "flip" : "cancel"}`).focus();
}

/** Saves an answer: after a right one the card rests for twice as long as before, after a wrong one for ten minutes. */
async function answer(isRight) {
    const { value, tag } = learning;
    const level = isRight ? Math.min(value.level + 1, 10) : 0;
    const due = instant(new Date(Date.now() + (isRight ? 2 ** (level - 1) * 24 * 60 : 10) * 60_000));
    try {
        await request(pathOfCard(value.id), { method: "PATCH", tag, body: { level, due } });
    } catch (error) {
        if (error.status === 412) {
            await showFront({ value: error.problem.current, tag: error.tag });
            throw new Error("The card has changed: look at it again.");
        }
        if (error.status !== 404) throw error;
    }
    learning.seen.add(value.id);
    await showFront();
}

// What the user does

addEventListener("hashchange", () => route().catch(report));
on("#sign-in", "submit", () => {
    sessionStorage.setItem("token", $("#token").value);
    $("#token").value = "";
    route().catch(report);
});
on("#sign-out", "click", () => signOut());
on("#show-keys", "click", () => $("#keys").showModal());

let searching;
on("#decks [type=search]", "input", () => {
    clearTimeout(searching);
    searching = setTimeout(() => readDecks().catch(report), 200);
});
on("#decks .more", "click", () => readDecks(state.next));
on("#decks .new", "click", () => edit("deck", "/decks"));
on("#decks .list", "click", (event) => {
    const row = event.target.closest("li");
    if (row) location.hash = `#/decks/${row.dataset.id}`;
});

on("#deck [type=search]", "input", () => { state.shown = pageSize; showCards(); });
on("#deck .more", "click", () => { state.shown += pageSize; showCards(); });
on("#deck .new", "click", () => edit("card", `${pathOfDeck()}/cards`));
on("#deck .list", "click", async (event) => {
    const row = event.target.closest("li");
    if (!row) return;
    const path = pathOfCard(row.dataset.id);
    const { value, tag } = await read(path);
    edit("card", path, { value, tag: state.deck.owner.id === state.user ? tag : undefined });
});
on("#edit-deck", "click", async () => edit("deck", pathOfDeck(), await read(pathOfDeck())));
on("#delete-deck", "click", async () => { if (await remove("deck", pathOfDeck())) leaveDeck(); });

const hasChanges = () => Object.keys(changes()).length || editing.file || editing.isRemoved;
const mayClose = (dialog) => dialog.id !== "editor" || editing.isReadOnly || !hasChanges()
    || confirm("Discard your changes?");
for (const dialog of all("dialog")) {
    on(`#${dialog.id} .cancel`, "click", () => { if (mayClose(dialog)) dialog.close(); });
    dialog.addEventListener("cancel", (event) => { if (!mayClose(dialog)) event.preventDefault(); });
}
on("#editor", "submit", save);
on("#picture", "change", () => choosePicture({ file: $("#picture").files[0] }));
on("#editor .remove", "click", () => choosePicture({ isRemoved: Boolean(editing.value?.picture) }));
on("#editor .delete", "click", async () => { if (await remove("card", editing.path)) $("#editor").close(); });

on("#start-learning", "click", async () => {
    learning = { seen: new Set(), value: null };
    $("#learning").showModal();
    await showFront();
});
on("#learning .flip", "click", () => flip(true));
on("#learning .right", "click", () => answer(true));
on("#learning .wrong", "click", () => answer(false));

addEventListener("keydown", (event) => {
    const isChord = event.ctrlKey || event.metaKey || event.altKey;
    if (event.key === "Enter" && isChord) return event.target.form?.requestSubmit();
    if (event.target.matches("input, textarea") || isChord || $("dialog[open]")) return;
    const view = "main > section:not([hidden])";
    const target = { "/": $(`${view} [type=search]`), n: $(`${view} .new`), "?": $("#show-keys") }[event.key];
    if (!target || target.hidden) return;
    event.preventDefault();
    if (target.type === "search") target.focus(); else target.click();
});

route().catch(report);
