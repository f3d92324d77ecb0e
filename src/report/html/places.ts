import { oneLine } from "../foreign.ts";
import { el, type Markup } from "./markup.ts";

const PLACES = {
  runs: { name: "Runs", path: "/" },
  drifts: { name: "Drift", path: "/drifts" },
  schedules: { name: "Schedules", path: "/schedules" },
} as const;

/** Which of the lists that a server shows a page belongs to. */
export type Place = keyof typeof PLACES;

/** The ways to all lists, with the one where the page stands. */
export function wayTo(here: Place): Markup {
  const links = Object.entries(PLACES).map(([place, { name, path }]) =>
    el("li", {}, el("a", { href: path, "aria-current": place === here ? "true" : undefined }, name)),
  );
  return el("nav", { class: "way", "aria-label": "Pages" }, el("ul", {}, links));
}

/** A link to the page of a run. */
export function runLink(id: string): Markup {
  return el("a", { href: `/runs/${encoded(id)}` }, oneLine(id));
}

/** A link to the page of a drift. */
export function driftLink(id: string): Markup {
  return el("a", { href: `/drifts/${encoded(id)}` }, el("code", {}, oneLine(id)));
}

/** A link to the page of a schedule. */
export function scheduleLink(id: string): Markup {
  return el("a", { href: `/schedules/${encoded(id)}` }, oneLine(id));
}

function encoded(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
