import { uuidv7 } from "uuidv7";
import { sessions } from "#db/tables/accounts.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "../../../tools/testing/database.ts";
import { createManualClock } from "../../../tools/testing/manual-clock.ts";
import { openTestShop } from "../../../tools/testing/open-test-shop.ts";
import { createAccessCode } from "../../access-codes/manage-access-codes.server.ts";
import type { Context } from "../../context.ts";
import { addDays } from "../../time.ts";
import { connectDevice, issueTicket } from "../connect-device.server.ts";

/** A shop with one tool of two servers, the first with the code CODE-ONE, and what a test of devices needs. */
export async function openDeviceShop() {
  const shop = openTestShop(await freshDatabase(), { clock: createManualClock(), perAddressFactor: 0 });
  const visitor = (): Context => ({
    ...shop.visitor(),
    browser: { headers: new Headers(), ipAddress: "203.0.113.7" },
  });
  const owner = await shop.user("admin");
  const servers = [
    { id: "one", name: "Server 1", url: "https://one.example/" },
    { id: "two", name: "Server 2", url: null },
  ];
  const tool = await shop.tool({ slug: "chat", name: "Chat", servers });
  const { id: codeId } = await createAccessCode(owner, {
    toolId: tool.id,
    serverName: "Server 1",
    simpleCode: "CODE-ONE",
    isActive: true,
  });

  /** A ticket needs a session in the database. The actor of a test shop has only its id. */
  async function startSession({ actor }: Context): Promise<void> {
    if (actor.kind !== "user" && actor.kind !== "admin") throw new Error("nobody is signed in");
    const { sessionId: id, userId } = actor;
    const session = { id, userId, token: id, expiresAt: addDays(shop.clock.now(), 30) };
    await shop.db.insert(sessions).values(session).onConflictDoNothing();
  }

  /** A user with a pass of 30 days that began yesterday; `values` override. */
  async function buyer(values: Partial<typeof userPurchases.$inferInsert> = {}) {
    const ctx = await shop.user();
    await startSession(ctx);
    await shop.pass(ctx, { toolId: tool.id, toolName: tool.name, ...values });
    return ctx;
  }

  /** Connects an installation to the account of `ctx`. */
  async function connect(ctx: Context, installationId: string = uuidv7(), name = "Chrome on Linux") {
    await startSession(ctx);
    const ticket = await issueTicket(ctx);
    return connectDevice(visitor(), { ticket, installationId, name, version: "1.0.0" });
  }

  return { ...shop, visitor, owner, chat: tool, codeId, buyer, connect };
}
