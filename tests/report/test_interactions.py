"""Random use of the page: whatever order things are opened in, nothing fails and nothing lies."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.report.report_folder import write_page
from tests.report import worlds

pytestmark = pytest.mark.full
Visits = Callable[..., Any]
STEPS = 200

ACT = """
(action, pick) => {
  const shown = (list) => [...list].filter((node) => node.offsetParent !== null || node.closest('dialog'));
  const one = (selector, root = document) => {
    const found = shown(root.querySelectorAll(selector));
    return found.length ? found[Math.floor(pick * found.length)] : null;
  };
  const dialog = document.querySelector('dialog[open]');
  const press = (node) => { if (node && !node.disabled) { node.focus(); node.click(); } return Boolean(node); };
  const events = {
    open: () => !dialog && press(one('#query-table tbody button')),
    close: () => dialog && press([...dialog.querySelectorAll('button')].find((b) => b.textContent === 'Close')),
    step: () => dialog && press([...dialog.querySelectorAll('button')].find(
      (b) => b.textContent === (pick < 0.5 ? 'Previous' : 'Next'))),
    define: () => { const node = one('.def', dialog ?? document); if (node) node.focus(); return Boolean(node); },
    hover: () => {
      const node = one('.def', dialog ?? document);
      if (node) for (const kind of ['mouseenter', 'mouseleave']) node.dispatchEvent(new MouseEvent(kind));
      return Boolean(node);
    },
    run: () => {
      const select = document.getElementById('run');
      if (dialog || !select) return false;
      select.value = String(Math.floor(pick * select.options.length));
      select.dispatchEvent(new Event('change'));
      return true;
    },
    filter: () => {
      const select = document.getElementById('show');
      if (dialog || !select) return false;
      select.selectedIndex = Math.floor(pick * select.options.length);
      select.dispatchEvent(new Event('change'));
      return true;
    },
    sort: () => !dialog && press(one('thead button')),
    fold: () => !dialog && press(one('summary')),
    link: () => !dialog && press(one('main a[href^="#"], nav a')),
    slide: () => {
      const range = dialog ? null : one('input[type=range]');
      if (!range) return false;
      range.value = range.min + pick * (range.max - range.min);
      range.dispatchEvent(new Event('input'));
      return true;
    },
    back: () => {
      if (!window.depth) return false;  // further back is another page
      window.depth--;
      history.back();
      return true;
    },
    read: () => {
      const svg = dialog ? null : one('figure svg[role=img]');
      if (!svg) return false;
      svg.focus();
      svg.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
      svg.blur();
      return true;
    },
  };
  return Boolean(events[action]());
}
"""
COUNTED = """
(() => {
  const push = history.pushState;
  window.depth = 0;
  history.pushState = (...given) => { window.depth++; push.apply(history, given); };
})()
"""
ACTIONS = (
    "open", "open", "open", "close", "step", "step", "define", "hover", "run", "filter",
    "sort", "fold", "link", "slide", "back", "read",
)  # fmt: skip


def use(page: Any, seed: int, steps: int) -> int:
    """Act at random and return how many actions found something to act on."""
    chance = random.Random(seed)
    done = 0
    page.evaluate(COUNTED)
    for _ in range(steps):
        action = chance.choice(ACTIONS)
        done += page.evaluate(f"([action, pick]) => ({ACT})(action, pick)", [action, chance.random()])
        if action == "back":
            page.wait_for_timeout(15)
        assert page.messages == [], action
        text = page.evaluate("[...document.querySelectorAll('dialog')].map((d) => d.innerText).join(' ')")
        assert "null" not in text, action
        assert "undefined" not in text, action
    return done


def test_200_random_interactions_leave_no_message(visit: Visits, made: Path, five: list[Path]) -> None:
    page = visit(write_page(five[:3], made / "three.html"))
    assert use(page, 18, STEPS) > STEPS / 3
    names = [assay.load(each).short_name for each in five[:3]]
    if page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    chosen = int(page.input_value("#run"))
    assert page.inner_text("#lede").startswith(names[chosen])
    assert len(page.requests) == 1


@pytest.mark.parametrize("shape", ["plain_ir", "decisions_alone"])
def test_other_shapes_stand_random_use(visit: Visits, made: Path, shape: str) -> None:
    bundle = getattr(worlds, shape)(made / f"random_{shape}")
    use(visit(write_page([bundle], made / f"random_{shape}.html")), 7, 60)


def test_definitions_still_show_after_a_query_was_stepped_through(
    visit: Visits, made: Path, five: list[Path]
) -> None:
    page = visit(write_page(five[:3], made / "stepped.html"))
    page.select_option("#show", "evidence")  # these have values, with definitions
    page.click("#query-table tbody button >> nth=0")
    page.click("#query button:text-is('Next')")
    assert page.evaluate("document.activeElement.textContent") == "Next"  # to step on with the keyboard
    second = page.inner_text("#query-title")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#query-title") != second
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#query-title") == second
    page.focus("#query .def >> nth=0")
    assert page.inner_text("#tip") != ""
    page.click("#query button:text-is('Close')")
    page.select_option("#run", "1")
    assert page.inner_text("#lede").startswith(assay.load(five[1]).short_name)
    page.focus("main .def >> nth=0")
    assert page.inner_text("#tip") != ""
    assert page.messages == []


def test_a_link_opens_what_was_shown(visit: Visits, made: Path, five: list[Path]) -> None:
    """Query, filters, thresholds, run and section are in the address; Back undoes a step."""
    page = visit(write_page(five[:3], made / "links.html"))
    page.select_option("#run", "2")
    page.select_option("#show", "evidence")
    page.fill("#tau-low", "0.125")
    page.locator("#tau-low").blur()
    page.click("#query-table tbody button >> nth=1")
    title, address = page.inner_text("#query-title"), page.evaluate("location.href")
    again = visit(made / "links.html")
    again.goto(address)
    again.reload()
    again.wait_for_selector("html[data-ready]")
    assert again.inner_text("#query-title") == title
    assert again.input_value("#run") == "2"
    assert again.input_value("#show") == "evidence"
    assert again.input_value("#tau-low") == "0.125"
    assert again.messages == []
    page.go_back()
    page.wait_for_selector("#query", state="detached")
    assert page.input_value("#run") == "2"
    page.go_forward()
    page.wait_for_selector("#query[open]")
    assert page.inner_text("#query-title") == title
    assert page.messages == []
