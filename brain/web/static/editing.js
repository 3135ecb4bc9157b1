// Writing: what is typed stays in this browser until it is saved, leaving asks once, Ctrl Enter saves.
"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const form = one("[data-editor]");
  const area = form && one("[data-text]", form);
  const name = form && "cabecao:draft:" + form.dataset.draft;
  let sends = false;
  let asks = Boolean(form && "typed" in form.dataset);

  // Nothing of a private note is kept; a browser that keeps nothing is no reason to fail.
  const kept = {
    read: () => { try { return JSON.parse(sessionStorage.getItem(name)); } catch { return null; } },
    write: (text, base) => {
      if ("private" in form.dataset) return;
      try { sessionStorage.setItem(name, JSON.stringify({ text, base, at: Date.now() })); } catch { /* full, or turned off */ }
    },
    drop: () => { try { sessionStorage.removeItem(name); } catch { /* turned off */ } },
  };

  const changed = () => "typed" in form.dataset || area.value !== area.defaultValue;

  const take = (draft) => {
    area.value = draft.text;
    const base = one("[name=base]", form);
    if (base && draft.base) base.value = draft.base;
    asks = true;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  };

  const offer = (draft) => {
    const box = one("[data-unsaved]").content.firstElementChild.cloneNode(true);
    form.before(box);
    one("[data-takes]", box).addEventListener("click", () => { take(draft); box.remove(); area.focus(); });
    one("[data-drops]", box).addEventListener("click", () => { kept.drop(); box.remove(); area.focus(); });
  };

  if (form) {
    const draft = kept.read();
    const newer = !form.dataset.waiting || draft?.at > 1000 * form.dataset.waiting + 2000; // than what the server kept
    if (draft && draft.text !== area.value) {
      if ("refused" in form.dataset) take(draft); else if (newer) offer(draft);
    }
    area.addEventListener("input", () => {
      asks = changed();
      if (asks) kept.write(area.value, one("[name=base]", form)?.value); else kept.drop();
    });
    form.addEventListener("submit", () => { sends = true; if (changed()) kept.write(area.value, one("[name=base]", form)?.value); });
    addEventListener("beforeunload", (event) => {
      if (sends || !asks) return;
      asks = false; // once is enough: the text is kept
      event.preventDefault();
    });
    addEventListener("pageshow", () => { sends = false; });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit(one("[data-saves]", form) ?? undefined);
    });
  }

  document.addEventListener("change", (event) => {
    const button = event.target.dataset?.reshapes && one(event.target.dataset.reshapes);
    if (button) button.form.requestSubmit(button);
  });

  document.addEventListener("submit", (event) => {
    const key = event.target.dataset.discards;
    try { if (key) sessionStorage.removeItem("cabecao:draft:" + key); } catch { /* turned off */ }
  });

  document.addEventListener("click", (event) => {
    const copies = event.target.closest("[data-copies]");
    if (copies) navigator.clipboard?.writeText(one(copies.dataset.copies).value);
  });
})();
