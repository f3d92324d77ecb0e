// The page is complete without this script. The script runs in a browser, so it is a text here. The policy of the page allows it by its digest.

/** Search, filters by outcome, keyboard shortcuts, and the choice of colors. */
export const SCRIPT: string = String.raw`(() => {
  "use strict";
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const steps = [...document.querySelectorAll(".step")];
  // A page of a run searches its own steps; a list sends what is searched for to its server.
  const search = one("#search") ?? one("#words") ?? document.createElement("input");
  const shown = one(".shown") ?? document.createElement("span");
  const buttons = [...document.querySelectorAll("[data-filter]")];
  const theme = one(".theme");
  const chosen = new Set();
  const groups = [...document.querySelectorAll(".group")];
  const lines = [...document.querySelectorAll(".step > summary, .group > summary")];
  let texts;
  root.classList.add("js");

  // Of a step without those that it holds, but with why it needs attention.
  function textOf(step) {
    const reason = document.getElementById(step.dataset.reason ?? "");
    return [...step.querySelectorAll(":scope > :not(.held)"), reason].map((part) => part?.textContent ?? "").join(" ").toLowerCase();
  }

  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFiltered = words.length > 0 || chosen.size > 0;
    if (words.length > 0) texts ??= steps.map(textOf);
    const holders = new Set();
    let count = 0;
    for (let at = steps.length - 1; at >= 0; at--) {
      const step = steps[at];
      const wanted = chosen.size === 0 || chosen.has(step.dataset.outcome);
      const found = wanted && words.every((word) => texts[at].includes(word));
      const hidden = !found && !holders.has(step);
      if (step.hidden !== hidden) step.hidden = hidden;
      if (!found) continue;
      count++;
      if (isFiltered) for (const holder of holdersOf(step)) holders.add(holder);
    }
    for (const holder of holders) holder.open = true;
    for (const group of groups) group.hidden = isFiltered && !holders.has(group);
    shown.textContent = !isFiltered ? "" : count + " of " + steps.length + " rows";
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

  function holdersOf(step) {
    const holders = [];
    for (let each = step.parentElement.closest(".step, .group"); each !== null; each = each.parentElement.closest(".step, .group")) {
      holders.push(each);
    }
    return holders;
  }

  function move(from, by) {
    for (let at = lines.indexOf(from) + by; at >= 0 && at < lines.length; at += by) {
      if (lines[at].checkVisibility()) return lines[at].focus();
    }
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".copy");
    if (button === null) return;
    try {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      if (button.dataset.copied !== undefined) return;
      const [face, label] = [button.textContent, button.getAttribute("aria-label")];
      const show = (text, name) => {
        button.textContent = text;
        button.setAttribute("aria-label", name);
      };
      button.dataset.copied = "";
      show("✓", "Copied");
      setTimeout(() => {
        delete button.dataset.copied;
        show(face, label);
      }, 1200);
    } catch {
      getSelection().selectAllChildren(button.previousElementSibling);
    }
  });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = document.activeElement === search;
    if (event.key === "/" && event.target.closest("input, select, textarea") === null) {
      event.preventDefault();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && isTyping) {
      search.value = "";
      apply();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const by = event.key === "ArrowDown" ? 1 : -1;
      const isLine = lines.includes(document.activeElement);
      if (!isLine && !(isTyping && by === 1)) return;
      event.preventDefault();
      move(isLine ? document.activeElement : undefined, by);
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
      for (const each of [target, ...holdersOf(target)]) {
        each.hidden = false;
        each.open = true;
      }
      target.scrollIntoView();
    }
  }
  addEventListener("hashchange", reveal);
  reveal();
})();
`;

/** Asks the server of a running run's page whether there is something new, and then reloads. The scroll position stays. */
export const FOLLOW: string = String.raw`(() => {
  "use strict";
  const EVERY_MS = 1500;
  const state = document.querySelector(".live");
  const words = state.textContent;
  async function look() {
    try {
      const answer = await fetch(location.pathname + "/events", { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      if ((await answer.text()) !== state.dataset.progress) return location.reload();
      if (state.textContent !== words) state.textContent = words;
    } catch {
      state.textContent = "The server does not answer. This page shows the run as it was at its last answer.";
    }
    setTimeout(look, EVERY_MS);
  }
  setTimeout(look, EVERY_MS);
})();
`;
