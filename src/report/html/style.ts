/** The style of the page in light and dark, on a phone, and on paper. */
export const STYLE: string = `
:root {
  color-scheme: light dark;
  --bg: light-dark(#ffffff, #12151a);
  --panel: light-dark(#f5f7f9, #1a1f26);
  --line: light-dark(#d5dbe1, #333b46);
  --text: light-dark(#1b2027, #e4e8ee);
  --soft: light-dark(#555f6b, #a3adba);
  --link: light-dark(#0a58a8, #7ab8ff);
  --good: light-dark(#176a34, #63cf85);
  --same: light-dark(#4f5965, #a9b3c0);
  --bad: light-dark(#b3201a, #ff8a80);
  --doubt: light-dark(#7536a8, #d3a3ff);
  --wait: light-dark(#835400, #f0bd57);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--bg); color: var(--text); font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1rem; }
main:focus { outline: none; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 3px; }
a { color: var(--link); }
h1, h2:not(.part) { font-size: 1.5rem; line-height: 1.25; margin: 1.5rem 0 .75rem; text-wrap: balance; }
.part { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
.outcome { font-weight: 600; }
p { margin: .25rem 0; }
code, pre { font-family: var(--mono); font-size: .87em; }
pre { margin: .25rem 0 0; padding: .6rem .75rem; max-height: 26rem; overflow: auto; background: var(--bg); border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
.hint, .cut, .name, .uses, .idle, .label, dt, footer, time { color: var(--soft); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; top: .5rem; z-index: 2; background: var(--bg); padding: .5rem; }

.toolbar { display: none; position: sticky; top: 0; z-index: 1; gap: .5rem .75rem; align-items: center; flex-wrap: wrap; padding: .5rem max(1rem, calc((100vw - 76rem) / 2 + 1rem)); background: var(--panel); border-bottom: 1px solid var(--line); }
.js .toolbar { display: flex; }
.toolbar input { flex: 1 1 12rem; min-width: 0; max-width: 24rem; font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--soft); border-radius: 6px; padding: .25rem .5rem; }
.toolbar ::placeholder { color: var(--soft); opacity: 1; }
.filters { display: flex; flex-wrap: wrap; gap: .35rem; }
.toolbar button { font: inherit; font-size: .87rem; color: var(--tone, var(--text)); background: var(--bg); border: 1px solid var(--line); border-radius: 99px; padding: .15rem .7rem; min-height: 1.75rem; cursor: pointer; }
.toolbar button[aria-pressed="true"] { background: var(--tone, var(--text)); color: var(--bg); }
.toolbar .theme { margin-left: auto; }
.shown { font-size: .87rem; color: var(--soft); }

.changed, .ok, .passed, .acknowledged, .applied { --tone: var(--good); }
.unchanged, .skipped, .replaced, .not-run, .rescued, .absent, .superseded, .not-sent { --tone: var(--same); }
.failed, .died, .refused { --tone: var(--bad); }
.unknown, .conflict, .drift { --tone: var(--doubt); }
.pending, .interrupted, .running, .queued, .cancelled, .missed, .blocked, .warned { --tone: var(--wait); }
.badge { display: inline-block; padding: .05rem .6rem; color: var(--bg); background: var(--tone); border-radius: 99px; font-weight: 600; font-size: .87rem; white-space: nowrap; }
.copy { display: none; font: inherit; font-size: .82rem; line-height: 1; color: var(--text); background: var(--panel); border: 1px solid var(--soft); border-radius: 6px; padding: .2rem .45rem; min-width: 1.5rem; min-height: 1.5rem; margin-left: .35rem; cursor: pointer; }
.js .copy { display: inline-block; }
.js .hash .rest { display: none; }
.js .hash code::after { content: "…"; }
.command { display: flex; flex-wrap: wrap; gap: .25rem; align-items: center; justify-content: space-between; width: fit-content; max-width: 100%; margin: .25rem 0; padding: .35rem .5rem .35rem .75rem; color: var(--text); background: var(--bg); border: 1px solid var(--soft); border-radius: 6px; }
.verdict, .word { color: var(--tone); font-weight: 600; white-space: nowrap; }

.way { max-width: 76rem; margin: 0 auto; padding: .5rem 1rem 0; }
.way ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 0; padding: 0; border-bottom: 1px solid var(--line); }
.way a { display: block; padding: .35rem 0; text-decoration: none; }
.way a:hover { text-decoration: underline; }
.way a[aria-current] { color: inherit; font-weight: 600; box-shadow: inset 0 -2px var(--link); }
.live { color: var(--soft); }
.choose { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; margin: 1rem 0; }
.choose input, .choose select, .choose button { font: inherit; color: inherit; background: var(--bg); border: 1px solid var(--soft); border-radius: 6px; padding: .25rem .6rem; }
.choose button { cursor: pointer; background: var(--panel); }
.runs table { min-width: 68rem; }
.items { list-style: none; margin: .5rem 0; padding: 0; }
.items li { padding: .4rem .75rem; border-left: 4px solid var(--tone, var(--line)); border-bottom: 1px solid var(--line); }
.calm { color: var(--good); font-weight: 600; }
.plot.days svg { width: 100%; height: 8rem; }
.days rect { fill: var(--tone); }
.ends { display: flex; justify-content: space-between; }
.days .counts { margin-bottom: .5rem; }
header > p:first-child, main > p:has(> .verdict) { margin-top: 1rem; }
header h1, header h2:not(.part) { margin-top: .35rem; }
.other { --tone: var(--doubt); color: var(--tone); font-weight: 600; }
.run { border-bottom: 2px solid var(--line); padding-bottom: 1.5rem; }
.counts { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: .5rem 0 1rem; padding: 0; }
.counts li { padding: .35rem .8rem; background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--tone, var(--line)); border-radius: 6px; }
.counts .all { --tone: var(--line); }
.counts b { font-size: 1.25rem; }
.facts { margin: .5rem 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); gap: .15rem 1.5rem; }
.facts > div { display: flex; gap: .6rem; }
.facts dt { flex: 0 0 6.5rem; }
.facts time, .said time { display: inline-block; }
.facts dd { margin: 0; min-width: 0; flex: 1; }
.next { margin-top: .75rem; }
.concerns ul { list-style: none; margin: 0; padding: .25rem .9rem; background: color-mix(in srgb, var(--tone) 7%, var(--bg)); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 6px; }
.concerns li { padding: .35rem 0; }
.concerns li + li { border-top: 1px solid var(--line); }
.concerns .problem, .concerns .warning { background: none; border: 0; padding: .25rem 0 0; }

summary { cursor: pointer; }
summary .part { display: inline; }
.writes, .history { margin: 1.25rem 0 .5rem; }
.wide { overflow-x: auto; margin-top: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); font-weight: inherit; }
thead th { color: var(--soft); white-space: nowrap; }
.index table { min-width: 44rem; }
.writes table { min-width: 56rem; }
.wide th, .wide td { overflow-wrap: normal; }
.wide time { white-space: nowrap; }
.writes td:nth-child(6) { min-width: 14rem; overflow-wrap: anywhere; }
.writes td:nth-child(7) { width: 15rem; overflow-wrap: anywhere; }
.comparison table { min-width: 36rem; }
.comparison .wide + .wide, .comparison .drifts { margin-top: .75rem; }
.comparison .drifts table { min-width: 60rem; }
.drifts .verdict { white-space: normal; }
.explained table { min-width: 52rem; }
.explained .words table { min-width: 70rem; }
.heat table { min-width: 60rem; }
.heat td { border: 1px solid var(--bg); padding: .15rem .5rem; text-align: right; background: color-mix(in srgb, var(--tone, var(--line)) 28%, var(--bg)); }
.heat td:has(.all) { --tone: var(--good); }
.heat td:has(.most) { --tone: var(--wait); }
.heat td:has(.few) { --tone: var(--bad); }
.heat td a { display: block; color: inherit; text-decoration: none; }
.schedules table { min-width: 56rem; }
.upcoming table { width: auto; }
.firings table { min-width: 52rem; }
.firings td:last-child { min-width: 16rem; overflow-wrap: anywhere; }
.firings td p { margin: 0; }
.both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .5rem 1.5rem; }
.both .part { margin: .5rem 0 0; }
.both > div { min-width: 0; }
.drifts td:last-child { min-width: 12rem; }
.drifts td:nth-child(3) { min-width: 10rem; overflow-wrap: anywhere; }
.number { font-family: var(--mono); font-size: .87em; display: inline-block; min-width: 4rem; max-width: 18rem; overflow-wrap: anywhere; }
.difference { display: block; width: 6rem; height: .6rem; background: var(--panel); }
.difference rect { fill: var(--doubt); }
.difference line { stroke: var(--soft); stroke-width: 1; vector-effect: non-scaling-stroke; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; margin: .5rem 0; }
.plot svg { width: 20rem; max-width: 100%; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
.plot path { fill: none; stroke: var(--link); stroke-width: 2; }
.plot .line-2 { stroke: var(--doubt); stroke-dasharray: 5 4; }
.plot circle { fill: var(--link); }
.plot circle.line-2 { fill: var(--doubt); }
.bars { margin: .5rem 0; }
.bars svg { width: 40rem; }
.bars rect { fill: var(--tone); }
.history ol { padding-left: 1.25rem; }

.step { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.1rem; }
.step[open] { contain-intrinsic-size: auto 20rem; }
.step[hidden] { display: none; }
.step:target > summary { background: var(--panel); }
.step > summary, .group > summary { display: grid; grid-template-columns: 8.5rem minmax(0, 1fr) 14rem 4.5rem; gap: .75rem; align-items: baseline; padding: .3rem .25rem; list-style: none; }
.step > summary::-webkit-details-marker, .group > summary::-webkit-details-marker { display: none; }
.step > summary:hover, .group > summary:hover { background: var(--panel); }
.mark { display: inline-block; min-width: 1.1em; text-align: center; }
.uses { font-family: var(--mono); font-size: .82em; }
.sent { color: var(--wait); }
.conditions { list-style: none; margin: 0; padding: 0; font-family: var(--mono); font-size: .82em; white-space: pre-wrap; overflow-wrap: anywhere; }
.bar { width: 100%; height: .5rem; align-self: center; background: var(--panel); border-radius: 2px; }
.bar rect { fill: var(--tone); }
.time { text-align: right; white-space: nowrap; }
.group { border-bottom: 1px solid var(--line); }
.group[hidden] { display: none; }
.held { margin-left: .5rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.group > summary .word::before, .step:has(> .held) > summary .word::before { content: "▸"; color: var(--soft); display: inline-block; width: .9em; }
.group[open] > summary .word::before, .step[open]:has(> .held) > summary .word::before { content: "▾"; }
.group > summary .what .word::before { content: none !important; }
.body { padding: .5rem .75rem 1rem; margin: 0 0 .5rem; background: var(--panel); border-radius: 6px; }
.body > * + * { margin-top: .75rem; }
.warning { --tone: var(--wait); }
.problem, .warning { padding: .5rem .75rem; background: color-mix(in srgb, var(--tone) 7%, var(--bg)); border-left: 4px solid var(--tone); border-radius: 4px; }
.message { font-weight: 600; white-space: pre-wrap; }
.value { margin-top: .5rem; }
.label { font-size: .87rem; }
.attempt { padding-left: .75rem; border-left: 3px solid var(--tone, var(--line)); }
.attempt > .outcome { color: var(--tone); }
footer { padding-top: 1rem; padding-bottom: 2rem; font-size: .87rem; }

@media (max-width: 44rem) {
  .step > summary, .group > summary { grid-template-columns: 1fr auto; gap: .1rem .75rem; }
  .what { grid-row: 2; grid-column: 1 / -1; }
  .bar { grid-row: 3; grid-column: 1 / -1; }
  .time { grid-row: 1; grid-column: 2; }
  .held { margin-left: 0; padding-left: .5rem; }
  .toolbar { position: static; }
  .writes table, .writes tbody, .writes tr, .writes tbody th, .writes td { display: block; min-width: 0 !important; width: auto !important; }
  .writes thead { display: none; }
  .writes tr { border-bottom: 1px solid var(--line); padding: .4rem 0; }
  .writes tbody th, .writes td { border: 0; padding: 0; overflow-wrap: anywhere; }
  .writes td:nth-child(2)::before { content: "attempt "; }
}
@page { margin: 1.5cm; }
@media print {
  :root, :root[data-theme] { color-scheme: light; }
  .toolbar, .js .toolbar, .skip, .way, .choose, .js .copy { display: none; }
  .js .hash .rest { display: inline; }
  .js .hash code::after { content: none; }
  .badge { color: var(--tone); background: none; border: 1px solid; }
  body { font-size: 10pt; }
  main, footer { max-width: none; padding: 0; }
  pre { max-height: none; }
  .wide { overflow: visible; }
  .wide table { min-width: 0 !important; font-size: 8pt; }
  .wide th, .wide td { min-width: 0 !important; padding-right: .4rem; overflow-wrap: anywhere; }
  .wide time, .wide .verdict, .wide thead th { white-space: normal; }
  .wide .verdict { overflow-wrap: normal; }
  .number { min-width: 0; }
  .step { content-visibility: visible; break-inside: avoid-page; }
  .step > summary, .facts > div, tr { break-inside: avoid; }
  .part { break-after: avoid; }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
