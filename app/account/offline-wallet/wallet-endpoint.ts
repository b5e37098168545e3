import { readProfile } from "#core/accounts/profile.server.ts";
import { readStoreSettings } from "#core/catalog/store-settings.server.ts";
import { listMyPasses } from "#core/passes/list-my-passes.server.ts";
import { methodNotAllowed, respondWith } from "../../middleware/json-response.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/wallet-endpoint";
import { toStoredWallet } from "./stored-wallet.ts";

/** GET: the wallet of the buyer in the language of the browser, and the account that it belongs to. */
export function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ctx = context.get(shopContext);
  return respondWith(ctx, async () => {
    const [{ id }, { active }, store] = await Promise.all([
      readProfile(ctx),
      listMyPasses(ctx),
      readStoreSettings(ctx),
    ]);
    const { timeZone } = ctx.store;
    return { userId: id, wallet: toStoredWallet(active, ctx.clock.now(), { store, timeZone }) };
  });
}

export function action(): Response {
  return methodNotAllowed("GET");
}
