// What makes the pages quicker to use; each of them works without it.
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  root.classList.add("scripted");

  // --- theme: shown at once, kept by the same form in the background
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-theme-form]") || !event.submitter) return;
    event.preventDefault();
    const body = new FormData(form, event.submitter);
    root.dataset.theme = event.submitter.value;
    one("button:not([value=" + event.submitter.value + "])", form)?.focus();
    fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => failed(root.dataset.offline));
  });

  // --- toasts: eight seconds, longer while one looks at them
  const watch = (toast) => {
    if (toast.dataset.watched) return;
    toast.dataset.watched = "1";
    try { if (toast.dataset.saved) sessionStorage.removeItem("cabecao:draft:" + toast.dataset.saved); } catch { /* turned off */ }
    let timer;
    const start = () => { timer = setTimeout(() => toast.remove(), 8000); };
    const stop = () => clearTimeout(timer);
    toast.addEventListener("pointerenter", stop);
    toast.addEventListener("pointerleave", start);
    toast.addEventListener("focusin", stop);
    toast.addEventListener("focusout", start);
    start();
  };
  const watchAll = () => all("[data-toast]").forEach(watch);

  const failed = (text) => {
    const toast = document.createElement("div");
    const words = document.createElement("p");
    toast.className = "toast failed";
    toast.dataset.toast = "";
    words.textContent = text;
    toast.append(words);
    one("#toasts")?.append(toast);
    watch(toast);
  };

  // --- clicks on what says what it does
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-dismiss], [data-copy], [data-opens]");
    all("details[data-closes][open]").forEach((open) => { if (!open.contains(event.target)) open.open = false; });
    if (!target) return;
    if ("dismiss" in target.dataset) target.closest("[data-toast]")?.remove();
    if (target.dataset.copy) {
      const isAddress = target.dataset.copy.startsWith("/");
      navigator.clipboard?.writeText(isAddress ? new URL(target.dataset.copy, location.href).href : target.dataset.copy);
    }
    if (target.dataset.opens) one(target.dataset.opens)?.showModal();
  });

  // --- what opens to be filled in: the focus goes there
  document.addEventListener("toggle", (event) => {
    if (event.target.matches?.("details[open]")) one("[data-first]", event.target)?.focus();
  }, true);

  // --- keyboard
  const typing = (element) => element.isContentEditable || /^(input|textarea|select)$/i.test(element.tagName);
  let waitsForPlace = false;

  const search = () => {
    const field = all("[data-search]").find((each) => each.checkVisibility());
    if (field) { field.focus(); field.select(); } else location.assign("/search");
  };

  const shown = () => all("[data-rows] [data-row]").filter((row) => row.checkVisibility());

  const move = (step) => {
    const rows = shown();
    if (!rows.length) return;
    const here = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[Math.min(rows.length - 1, Math.max(0, here < 0 ? (step > 0 ? 0 : rows.length - 1) : here + step))];
    (row.matches("a, button") ? row : one("a, button", row))?.focus();
  };

  // Down from the search field into what was found, and from the first row back up to it.
  const walk = (target, step) => {
    const here = shown().findIndex((row) => row.contains(target));
    if (here < 0 && !(step > 0 && target.matches("[data-search]") && shown().length)) return false;
    if (here === 0 && step < 0) search(); else move(step);
    return true;
  };

  // Why the row with the focus stands here, or else the first one.
  const why = () => {
    const rows = shown();
    const row = rows.find((each) => each.contains(document.activeElement)) ?? rows[0];
    const target = row && one("[data-why]", row);
    target?.focus();
    target?.click();
  };

  const press = (key) => {
    const target = all("[data-key]").find((each) => each.dataset.key === key && (each.checkVisibility() || "anywhere" in each.dataset));
    if (!target) return false;
    // What becomes an instruction is never done by one letter: it takes the focus and waits for Enter.
    if ("weighty" in target.dataset) target.focus(); else target.click();
    return true;
  };

  const single = (key) => {
    if (waitsForPlace) {
      waitsForPlace = false;
      const link = one('[data-go="' + CSS.escape(key) + '"]');
      if (link) location.assign(link.href);
      return Boolean(link);
    }
    const known = { "/": search, "?": () => one("#shortcuts")?.showModal(), j: () => move(1), k: () => move(-1), w: why };
    if (key === "g") { waitsForPlace = true; setTimeout(() => { waitsForPlace = false; }, 1500); return true; }
    if (known[key]) { known[key](); return true; }
    return press(key);
  };

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      all("details[data-closes][open]").forEach((open) => { open.open = false; one("summary", open)?.focus(); });
      return;
    }
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      search();
      return;
    }
    const modified = event.ctrlKey || event.metaKey || event.altKey;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !modified && !event.shiftKey && !event.isComposing && walk(event.target, step)) {
      event.preventDefault();
      return;
    }
    if (modified || event.isComposing || root.dataset.keys === "off" || typing(event.target) || one("dialog[open]")) return;
    if (event.key.length === 1 && single(event.key)) event.preventDefault();
  });

  // --- htmx: where the focus goes, and what to say when nobody answers
  document.addEventListener("htmx:afterSettle", () => {
    watchAll();
    all("[data-says]").forEach((each) => each.setAttribute("aria-valuetext", one(each.dataset.says)?.textContent ?? ""));
    (one('[aria-invalid="true"]') ?? one("[data-focus]"))?.focus();
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, () => failed(root.dataset.offline));
  }
  watchAll();
})();
