for (const each of document.querySelectorAll(".arithmatex")) {
  const text = each.textContent.trim();
  const display = text.startsWith("\\[");
  katex.render(text.slice(2, -2), each, { displayMode: display, throwOnError: false });
}
