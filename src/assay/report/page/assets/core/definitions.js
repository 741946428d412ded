/* Definitions of measures, shown on hover and focus. The tip is made where it is needed and removed again: a
   modal dialog hides everything outside it, and takes away what is inside when it closes. */
function hideTip() {
  const tip = byId("tip");
  if (tip) tip.remove();
  for (const each of document.querySelectorAll("[aria-describedby=tip]")) each.removeAttribute("aria-describedby");
}

function define(run, measure, text) {
  const button = h("button", { type: "button", class: "def" }, text || measure.name);
  const show = () => {
    hideTip();
    const definition = run.definitions[measure.definition];
    const tip = h(
      "div",
      { id: "tip", role: "tooltip" },
      h("b", {}, definition.title),
      definition.operating ? h("p", { class: "point" }, definition.operating) : null,
      h("p", {}, definition.meaning[0].toUpperCase() + definition.meaning.slice(1) + "."),
      h("p", { class: "formula" }, definition.formula),
      h("p", {}, "Over " + definition.subset + ", n = " + whole(measure.n) + "."),
      h("p", {}, h("code", {}, measure.definition)),
    );
    const inside = button.closest("dialog");
    (inside ?? document.body).append(tip);
    const box = button.getBoundingClientRect(),
      base = inside ? inside.getBoundingClientRect() : { left: -window.scrollX, top: -window.scrollY };
    const up = inside ? inside.scrollTop : 0;
    const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 24));
    const over = box.bottom + tip.offsetHeight + 12 > window.innerHeight && box.top > tip.offsetHeight + 12;
    tip.style.left = left - base.left + "px";
    tip.style.top = (over ? box.top - tip.offsetHeight - 6 : box.bottom + 6) - base.top + up + "px";
    button.setAttribute("aria-describedby", "tip");
  };
  for (const [event, act] of [
    ["mouseenter", show],
    ["focus", show],
    ["click", show],
    ["mouseleave", hideTip],
    ["blur", hideTip],
  ])
    button.addEventListener(event, act);
  button.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && byId("tip")) {
      hideTip();
      event.stopPropagation();
      event.preventDefault();
    }
  });
  return button;
}
