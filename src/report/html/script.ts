// The page is whole without it. It runs in a browser, so it is a text here; the policy of the page names its digest.

/** Search, filters by outcome, keys, and the choice of colours. */
export const SCRIPT: string = String.raw`(() => {
  "use strict";
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const steps = [...document.querySelectorAll(".step")];
  const search = one("#search") ?? document.createElement("input");
  const shown = one(".shown") ?? document.createElement("span");
  const buttons = [...document.querySelectorAll("[data-filter]")];
  const theme = one(".theme");
  const chosen = new Set();
  let texts;
  root.classList.add("js");

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length > 0) texts ??= steps.map((step) => step.textContent.toLowerCase());
    let count = 0;
    for (const [at, step] of steps.entries()) {
      const wanted = chosen.size === 0 || chosen.has(step.dataset.outcome);
      const found = wanted && words.every((word) => texts[at].includes(word));
      if (step.hidden === found) step.hidden = !found;
      if (found) count++;
    }
    shown.textContent = words.length === 0 && chosen.size === 0 ? "" : count + " of " + steps.length + " rows";
  }

  let waiting;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 120);
  });
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const outcome = button.dataset.filter;
      if (!chosen.delete(outcome)) chosen.add(outcome);
      button.setAttribute("aria-pressed", String(chosen.has(outcome)));
      apply();
    });
  }

  function move(from, by) {
    for (let at = steps.indexOf(from) + by; at >= 0 && at < steps.length; at += by) {
      if (!steps[at].hidden) return steps[at].querySelector("summary").focus();
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = document.activeElement === search;
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && isTyping) {
      search.value = "";
      apply();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      const step = document.activeElement.matches(".step > summary") ? document.activeElement.parentElement : undefined;
      if (step === undefined && !(isTyping && by === 1)) return;
      event.preventDefault();
      move(step, by);
    }
  });

  const THEMES = ["", "light", "dark"];
  const NAMES = ["as the system has them", "light", "dark"];
  function paint(name) {
    if (name === "") delete root.dataset.theme;
    else root.dataset.theme = name;
    theme.setAttribute("aria-label", "Colours: " + NAMES[THEMES.indexOf(name)]);
  }
  function remembered() {
    try {
      return localStorage.getItem("tokenbook.theme") ?? "";
    } catch {
      return "";
    }
  }
  const before = remembered();
  if (THEMES.includes(before)) paint(before);
  theme.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "") + 1) % THEMES.length];
    paint(next);
    try {
      localStorage.setItem("tokenbook.theme", next);
    } catch {
      // A page in a frame of its own may remember nothing.
    }
  });

  function reveal() {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target instanceof HTMLDetailsElement) {
      target.hidden = false;
      target.open = true;
    }
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
`;

/** A page of a run that goes on asks whether there is something new, and is made anew then; where one looks stays where it is. */
export const FOLLOW: string = String.raw`(() => {
  "use strict";
  const EVERY_MS = 1500;
  const state = document.querySelector(".live");
  async function look() {
    try {
      const answer = await fetch(location.pathname + "/events", { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const { events } = await answer.json();
      if (String(events) !== state.dataset.events) return location.reload();
    } catch {
      state.textContent = "The server does not answer: this page is as the run was when it last did.";
    }
    setTimeout(look, EVERY_MS);
  }
  setTimeout(look, EVERY_MS);
})();
`;
