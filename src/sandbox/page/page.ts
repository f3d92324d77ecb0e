import type { Settings } from "../store/settings.ts";
import type { StoredEntity } from "../store/ledger-resources.ts";
import { html, Html } from "./html.ts";
import type { Listing, Overview } from "./overview.ts";
import { STYLE } from "./style.ts";

const SHOWN_ID_CHARS = 16;

/** Returns the page of the sandbox: its content, and links to the rest. It needs no script and loads nothing. */
export function renderPage({ orgId, appId, storeId }: Settings, overview: Overview, now: string): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sandbox of ${orgId}</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <h1>Sandbox</h1>
        <p>Organization <code>${orgId}</code> · app <code>${appId}</code> · store <code>${storeId}</code> · its time is ${now}</p>
        <p>
          Interfaces: <a href="/_sandbox/openapi/ledger">ledger</a>, <a href="/_sandbox/openapi/investor">investor</a> ·
          <a href="/_sandbox/commits">all commits</a> · <a href="/_sandbox/faults">fault plan</a> ·
          <a href="/_sandbox/health">health</a>
        </p>
        ${sections(overview)}
      </body>
    </html> `.text;
}

// The element is one constant, because the security policy contains the hash of exactly this text.
const STYLE_ELEMENT: Html = Html.join([`<style>${STYLE}</style>`], []);

function sections(overview: Overview): readonly Html[] {
  return [
    table("Assets", ["Type", "Id", "Owners", "Updated"], overview.assets, ({ assetType, id, owners, updatedAt }) => [
      assetType,
      id,
      owners.map(spell).join(", "),
      updatedAt,
    ]),
    table("Tokens", ["Id", "Name", "Type", "Supply"], overview.tokens, ({ id, name, classification, totalSupply }) => [
      id,
      name,
      classification.type ?? "",
      totalSupply.text,
    ]),
    table("Vaults", ["Id", "Name", "Share tokens", "Custodians"], overview.vaults, ({ id, name, vaultTokenId, custodians }) => [
      id,
      name,
      vaultTokenId.join(", "),
      custodians.map(spell).join(", "),
    ]),
    table("Investor tokens", ["Id", "Name", "Price", "Total"], overview.investorTokens, (token) => [
      token.id,
      token.name,
      `${token.price.text} ${token.currency}`,
      token.totalTokenCount.text,
    ]),
    table("Sales", ["Id", "Token", "Sold", "On sale", "Ends"], overview.sales, (sale) => [
      sale.id,
      sale.tokenId,
      sale.totalSoldTokens.text,
      sale.tokenCountOnSale.text,
      sale.endDate,
    ]),
    table("Ledger transactions", ["Id", "Operation", "State", "Message"], overview.transactions, (transaction) => [
      brief(transaction.transactionId),
      transaction.operation,
      transaction.state,
      transaction.message,
    ]),
    table("Commits", ["No.", "At", "Operation", "By", "Transaction"], overview.commits, (commit) => [
      String(commit.seq),
      commit.at,
      commit.operation,
      spell(commit.actor),
      brief(commit.transactionId),
    ]),
  ];
}

function table<T>(
  title: string,
  columns: readonly string[],
  { count, latest }: Listing<T>,
  cells: (item: T) => readonly string[],
): Html {
  if (count === 0)
    return html`<h2>${title}</h2>
      <p class="none">None.</p>`;
  const shown = latest.length < count ? `${latest.length} latest of ${count}` : String(count);
  const head = columns.map((column) => html`<th scope="col">${column}</th>`);
  const rows = latest.map(
    (item) =>
      html`<tr>
        ${cells(item).map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  );
  return html`<h2>${title} (${shown})</h2>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

function spell(entity: StoredEntity | object): string {
  const { orgId: _orgId, ...attributes } = entity as StoredEntity;
  const named = Object.entries(attributes).map(([name, value]) => `${name}:${value}`);
  return named.length === 0 ? "the organization" : named.join(" ");
}

function brief(id: string): string {
  return id.length <= SHOWN_ID_CHARS ? id : `${id.slice(0, SHOWN_ID_CHARS)}…`;
}
