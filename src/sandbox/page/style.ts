import { hash } from "node:crypto";

/** The style of the page in light and dark. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4048); --faint: light-dark(#5b6570, #9aa4af); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem;
  background: light-dark(#fff, #16191d); color: light-dark(#1b1f24, #e6e9ec); }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p, .none { color: var(--faint); }
a { color: light-dark(#0b57b7, #7db4ff); }
div.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } td { font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
code { font: 13px ui-monospace, monospace; }
@media (max-width: 40rem) { body { margin: 1rem auto; } table { font-size: 12px; } th, td { padding-right: .4rem; } code { font-size: 11px; } }
`;

/** Only the page's own style may load. Nothing may run. */
export const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", STYLE, "base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
