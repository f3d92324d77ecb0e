import { oneLine } from "../../formats/foreign-text.ts";
import { el, type Markup } from "../markup.ts";

const PLACES = { overview: "Overview", runs: "Runs", drifts: "Drift", schedules: "Schedules" } as const;

/** The list that a served page belongs to. */
export type PageSection = keyof typeof PLACES;

/** Returns the links to all lists, with the current one marked. */
export function wayTo(here: PageSection): Markup {
  const links = (Object.keys(PLACES) as PageSection[]).map((place) =>
    el("li", {}, el("a", { href: listPath(place), "aria-current": place === here ? "true" : undefined }, PLACES[place])),
  );
  return el("nav", { class: "way", "aria-label": "Pages" }, el("ul", {}, links));
}

/** Returns the path from any served page to a list, or to the page that compares runs. Each page is one folder deep, below a folder that no page names. */
export function listPath(list: PageSection | "compare"): string {
  return `../${list}/`;
}

/** Returns a link to a list, with its name. */
export function listLink(list: PageSection): Markup {
  return el("a", { href: listPath(list) }, PLACES[list]);
}

/** Returns a link to the page of a run. */
export function runLink(id: string): Markup {
  return el("a", { href: `${listPath("runs")}${encoded(id)}` }, oneLine(id));
}

/** Returns a link to the page of a drift. */
export function driftLink(id: string): Markup {
  return el("a", { href: `${listPath("drifts")}${encoded(id)}` }, el("code", {}, oneLine(id)));
}

/** Returns a link to the page of a schedule. */
export function scheduleLink(id: string): Markup {
  return el("a", { href: `${listPath("schedules")}${encoded(id)}` }, oneLine(id));
}

function encoded(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
