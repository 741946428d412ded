/* Elements are created, never parsed from HTML: text stays text. */
const SVG = "http://www.w3.org/2000/svg";
function made(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}
const h = (tag, attributes, ...children) => made(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => made(document.createElementNS(SVG, tag), attributes, children);
const byId = (id) => document.getElementById(id);

/* Invisible characters, and those that change the writing direction, are shown by their code. */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const seen = (text) =>
  String(text).replace(
    HIDDEN,
    (mark) => "⟨U+" + mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩",
  );
const cutTo = (text, most) => (text.length > most ? text.slice(0, most) + "…" : text);
const name = (text, most = 200) => h("bdi", {}, cutTo(seen(text), most));
const say = (text) => {
  byId("live").textContent = text;
};
