/* What is shown is in the address, so that it can be linked to and Back works: `#section?key=value&…`.
   A step (a query, a link, a run) is a new entry of the history; what is tuned (a slider, a filter) replaces it. */
const address = {
  section: "",
  values: new Map(),
  followers: [],
  waiting: 0,

  read(hash = location.hash) {
    const [section, query] = hash.replace(/^#/, "").split("?");
    const values = new Map(new URLSearchParams(query ?? ""));
    return { section, values };
  },
  text() {
    const query = new URLSearchParams([...this.values]).toString();
    return "#" + this.section + (query ? "?" + query : "");
  },
  set(changes) {
    for (const [key, value] of Object.entries(changes)) {
      if (key === "section") this.section = value;
      else if (value === null || value === "") this.values.delete(key);
      else this.values.set(key, wellFormed(String(value)));
    }
  },
  /* A new entry, after what waited to be written into the present one. */
  step(changes) {
    this.write();
    this.set(changes);
    if (this.text() !== location.hash) history.pushState(null, "", this.text());
  },
  /* The present entry; browsers limit how often it may be written, so moves of a slider are written once. */
  tune(changes) {
    this.set(changes);
    if (!this.waiting) this.waiting = setTimeout(() => this.write(), 400);
  },
  write() {
    clearTimeout(this.waiting);
    this.waiting = 0;
    const text = this.text();
    if (text !== (location.hash || "#")) history.replaceState(null, "", text);
  },
  /* `act` gets the values whenever the address changes from outside: Back, Forward, a link. */
  follow(act) {
    this.followers.push(act);
  },
  tell() {
    for (const act of [...this.followers]) act(this.values);
  },
  load() {
    clearTimeout(this.waiting);
    this.waiting = 0;
    Object.assign(this, this.read());
  },
};
const wellFormed = (text) => (text.toWellFormed ? text.toWellFormed() : text);
const number = (text) => (text === undefined || text === "" || !Number.isFinite(Number(text)) ? null : Number(text));

/* A link inside the page: `#queries?show=missed` adds its values to those that are there. */
function follow(href) {
  const { section, values } = address.read(href);
  const changes = Object.fromEntries(values);
  if (values.has("show") || values.has("criterion"))
    for (const key of ["show", "criterion", "state", "text", "sort"]) changes[key] ??= null;
  address.step({ section, query: null, ...changes });
  address.tell();
  goTo(section);
}
function goTo(section) {
  const place = byId(section);
  if (!place) return;
  const folded = place.closest("details");
  if (folded) folded.open = true;
  place.scrollIntoView();
  if (place.hasAttribute("tabindex")) place.focus({ preventScroll: true });
}
