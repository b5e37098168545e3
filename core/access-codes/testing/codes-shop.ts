import { startPaidCheckout } from "../../../tools/testing/open-test-shop.ts";
import { startSandboxShop } from "../../../tools/testing/sandbox-shop.ts";
import { confirmCheckout } from "../../checkout/checkout-status.server.ts";
import type { Context } from "../../context.ts";
import { addSeveralAccessCodes } from "../manage-access-codes.server.ts";
import { revealAccessCode } from "../reveal-access-code.server.ts";

type SignedIn = Context & { actor: { userId: string; email: string } };

let made = 0;
export const newCodes = (count: number) => Array.from({ length: count }, () => `OWN-${++made}`);

export const serversOf = (names: string[]) =>
  names.map((name) => ({ id: `${++made}-server`, name, url: null }));

export const refusalsOf = (results: PromiseSettledResult<unknown>[]) =>
  results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));

/** The sandbox shop with an admin, and tools whose servers hand out one code for each buyer. */
export async function startCodesShop() {
  const shop = await startSandboxShop();
  const admin = await shop.user("admin");

  const addCodes = (
    toolId: string,
    lines: string[],
    { serverName = "Server 1", handOut = "per-buyer" }: { serverName?: string; handOut?: string } = {},
  ) => addSeveralAccessCodes(admin, { toolId, serverName, handOut, lines: lines.join("\n") });

  /** A tool whose buyers get one of `count` codes each, on each of its servers. */
  async function toolWith(count: number, names = ["Server 1"]) {
    const tool = await shop.tool({ servers: serversOf(names), sellsWhenNotReady: false });
    const codes = new Map(names.map((name) => [name, newCodes(count)]));
    for (const [serverName, lines] of codes) if (count > 0) await addCodes(tool.id, lines, { serverName });
    const [first] = tool.servers;
    if (first === undefined) throw new Error("the tool has a server");
    return { ...tool, first, codes: codes.get(names[0] ?? "") ?? [] };
  }

  return {
    ...shop,
    admin,
    addCodes,
    toolWith,
    async buyers(count: number) {
      const made = await Promise.all(Array.from({ length: count }, () => shop.user()));
      return made as [SignedIn, SignedIn, SignedIn, ...SignedIn[]];
    },
    async buy(buyer: SignedIn, { slug }: { slug: string }): Promise<string> {
      const { orderId, purchaseId } = await startPaidCheckout(buyer, { slug });
      await confirmCheckout(buyer, await shop.payAtGateway(orderId));
      return purchaseId;
    },
    reveal: async (
      buyer: Context,
      { slug, first }: { slug: string; first: { id: string } },
      serverId = first.id,
    ): Promise<string> => (await revealAccessCode(buyer, { page: slug, serverId })).simpleCode,
  };
}
