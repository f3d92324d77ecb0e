import { type JsonObject, writeJson } from "../base/json/json.ts";
import type { Said } from "./ask.ts";
import type { Explored } from "./play.ts";
import { ACTORS, bound, type ExploredStep, userOf } from "./step.ts";

/**
 * Removes from the service what a sequence created and a call can remove: assets, and operators for all tokens. The service refuses if the asset is gone, is in
 * a vault or belongs to another actor. Returns how many assets may still be there, because an answer was lost.
 */
export async function removeWhatCanBe(
  steps: readonly ExploredStep[],
  { service, orgId }: Pick<Explored, "service" | "orgId">,
  key: string,
): Promise<number> {
  const names = { key, orgId, yields: new Map() };
  const ask = async (uses: string, actor: string, given: JsonObject): Promise<Said["kind"]> => {
    const input = bound(given, names) as JsonObject;
    const { kind } = await service.ask({ uses, input, actingEntity: `userId:${userOf(actor, key)}` });
    return kind;
  };
  for (const { as, uses, with: given } of steps) {
    const { operator } = given;
    if (uses === "ledger.erc1155.setApprovalForAll" && operator !== undefined) await ask(uses, as, { operator, approved: false });
  }
  let left = 0;
  for (const asset of assetsOf(steps)) {
    const kinds: Said["kind"][] = [];
    for (const actor of ACTORS) kinds.push(await ask("ledger.asset.delete", actor, asset));
    if (!kinds.includes("done") && kinds.some((kind) => kind !== "refused")) left += 1;
  }
  return left;
}

// Finds assets in the steps that read them, because each sequence ends by reading all its own assets.
function assetsOf(steps: readonly ExploredStep[]): readonly JsonObject[] {
  const looks = steps.filter(({ uses }) => uses === "ledger.asset.get" || uses === "ledger.asset.create");
  const named = looks.flatMap(({ with: { assetType = "", data = [], ...given } }) =>
    [given, data].flat().flatMap((each) => {
      const { id } = each as JsonObject;
      return id === undefined ? [] : [{ assetType, id }];
    }),
  );
  return [...new Map(named.map((asset) => [writeJson(asset.id), asset])).values()];
}
