// A question, and its answer as it comes; without this the whole answer comes as a page.
"use strict";
(() => {
  const form = document.querySelector("[data-ask]");
  const answer = document.querySelector("[data-answer]");
  const part = (name, within = answer) => within.querySelector("[data-" + name + "]");
  const [state, claims, end] = ["state", "claims", "end"].map((name) => part(name));
  const [stop, question] = ["stop", "question"].map((name) => part(name, form));
  const [ask, show] = form.querySelectorAll("[data-submit]");
  let asked;

  // What the server sends is its own HTML, in which every word of a model or a note is text.
  const take = {
    state: (text) => { state.textContent = text; },
    use: (html) => { part("use", form).innerHTML = html; },
    claim: (html) => claims.insertAdjacentHTML("beforeend", html),
    again: () => claims.replaceChildren(),
    end: (html) => { end.innerHTML = html; },
  };

  const read = async (body) => {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let isWhole = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return isWhole;
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const [first, ...lines] of events.map((each) => each.split("\n"))) {
        const name = first.replace("event: ", "");
        take[name]?.(lines.map((line) => line.slice(6)).join("\n"));
        isWhole ||= name === "end";
      }
    }
  };

  const busy = (is) => {
    const here = document.activeElement;
    stop.hidden = !is;
    show.hidden = is;
    if (!is) ask.disabled = show.disabled = false;
    if ((is ? [ask, show] : [stop]).includes(here)) (is ? stop : ask).focus();
    if (is) ask.disabled = show.disabled = true;
    answer.setAttribute("aria-busy", String(is));
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (asked) return;
    const body = new FormData(form, event.submitter);
    asked = new AbortController();
    const { signal } = asked;
    busy(true);
    claims.replaceChildren();
    end.replaceChildren();
    state.textContent = answer.dataset.waiting;
    try {
      const got = await fetch(form.action, { method: "POST", body, signal, headers: { Accept: "text/event-stream" } });
      const isStream = got.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (!isStream || !await read(got.body)) state.textContent = answer.dataset.broken;
    } catch {
      state.textContent = signal.aborted ? answer.dataset.stopped : answer.dataset.broken;
    }
    asked = undefined;
    busy(false);
  });

  stop.addEventListener("click", () => asked?.abort());
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !asked) form.requestSubmit(ask);
  });

  // A number opens its quote in place.
  answer.addEventListener("click", (event) => {
    const source = answer.querySelector(event.target.closest(".cite")?.hash || "no")?.closest("details");
    if (!source) return;
    event.preventDefault();
    source.open = true;
    source.querySelector("summary").focus();
  });
})();
