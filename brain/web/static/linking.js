// Links as they are typed: after two brackets, the notes that may be meant. The list is worked by keys or by a click.
"use strict";
(() => {
  const area = document.querySelector("textarea[data-links]");
  if (!area) return;
  const list = document.querySelector(area.dataset.links);
  const status = document.querySelector(area.dataset.linksSay);
  const OPEN = /\[\[([^[\]\n|#^]{0,100})$/;
  let found = [];
  let here = -1;
  let asked = 0;
  let timer;

  const typed = () => area.selectionStart === area.selectionEnd && OPEN.exec(area.value.slice(0, area.selectionStart));

  const close = () => {
    clearTimeout(timer);
    asked += 1; // an answer that is still on its way is no longer wanted
    found = [];
    list.hidden = true;
    list.replaceChildren();
    status.textContent = "";
    area.removeAttribute("aria-activedescendant");
  };

  const point = (place) => {
    here = (place + found.length) % found.length;
    [...list.children].forEach((each, number) => each.setAttribute("aria-selected", String(number === here)));
    area.setAttribute("aria-activedescendant", list.children[here].id);
    list.children[here].scrollIntoView({ block: "nearest" });
  };

  const row = (one, number) => {
    const item = document.createElement("li");
    const title = document.createElement("span");
    const place = document.createElement("span");
    item.id = "link-" + number;
    item.setAttribute("role", "option");
    title.textContent = one.title;
    place.textContent = one.type + " · " + one.path;
    place.className = "quiet-text";
    item.append(title, place);
    return item;
  };

  const show = (names) => {
    found = names;
    if (!names.length) { close(); return; }
    list.replaceChildren(...names.map(row));
    list.hidden = false;
    status.textContent = names.length + " " + list.dataset.counted;
    point(0);
  };

  const ask = async (text) => {
    const number = (asked += 1);
    const query = new URLSearchParams({ q: text, near: area.dataset.near ?? "" });
    try {
      const answer = await fetch("/names?" + query, { headers: { Accept: "application/json" } });
      const names = answer.ok ? (await answer.json()).names : [];
      if (number === asked && typed()) show(names);
    } catch { /* typing goes on without the list */ }
  };

  const pick = (place) => {
    const open = typed();
    const name = found[place]?.link;
    close();
    if (!open || !name) return;
    const end = area.selectionStart;
    const rest = area.value.startsWith("]]", end) ? 2 : 0;
    area.setRangeText(name + "]]", end - open[1].length, end + rest, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
  };

  area.addEventListener("input", () => {
    clearTimeout(timer);
    const open = typed();
    if (open) timer = setTimeout(() => ask(open[1]), 120); else close();
  });
  area.addEventListener("keydown", (event) => {
    if (list.hidden || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      ArrowDown: () => point(here + 1),
      ArrowUp: () => point(here - 1),
      Enter: () => pick(here),
      Tab: () => pick(here),
      Escape: close,
    }[event.key];
    if (!act || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  area.addEventListener("blur", close);
  area.addEventListener("click", () => { if (!typed()) close(); });
  list.addEventListener("mousedown", (event) => {
    event.preventDefault(); // the text keeps the focus
    const item = event.target.closest("[role=option]");
    if (item) pick([...list.children].indexOf(item));
  });
})();
