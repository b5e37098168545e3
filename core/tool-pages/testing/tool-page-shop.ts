import { uuidv7 } from "uuidv7";
import { users } from "#db/tables/accounts.ts";
import { toolPageGrants, tools } from "#db/tables/catalog.ts";
import type { userPurchases } from "#db/tables/purchases.ts";
import { freshDatabase } from "../../../tools/testing/database.ts";
import { openTestShop } from "../../../tools/testing/open-test-shop.ts";
import { createAccessCode } from "../../access-codes/manage-access-codes.server.ts";
import type { Actor, Context, Ports } from "../../context.ts";
import { addDays, DAY } from "../../time.ts";

export const now = new Date("2026-11-21T10:00:00Z");

const server = (id: string, name: string) => ({ id, name, url: null });

/** What a tool page reads of the gateway. */
type GatewayFacts = { name: "razorpay" | "sandbox"; testMode: boolean } | null;

/** A shop with a tool of three servers (two with a code), a bundle with a grant for its page, and a free tool. */
export async function openToolPageShop() {
  const shop = openTestShop(await freshDatabase(), {
    clock: { now: () => now },
    origin: "http://localhost:3000",
  });
  const { db } = shop;
  const { cipher, rateLimiter } = shop.ports;

  /** Throws when a tool page uses any other port. */
  const portsWith = (gateway: GatewayFacts): Ports =>
    new Proxy<Ports>(Object.create(null), {
      get: (_ports, name) => {
        if (name === "cipher") return cipher;
        if (name === "gateway") return gateway;
        if (name === "rateLimiter") return rateLimiter;
        if (name === "mailTemplates" || name === "jobs") return shop.ports[name];
        throw new Error(`a tool page used the port ${String(name)}`);
      },
    });

  const contextOf = (actor: Actor, gateway: GatewayFacts = null): Context => ({
    ...shop.contextFor(actor),
    ports: portsWith(gateway),
  });

  async function addUser(kind: "user" | "admin" = "user", state: Partial<typeof users.$inferInsert> = {}) {
    const userId = uuidv7();
    const email = `${userId}@example.com`;
    await db.insert(users).values({ id: userId, email, role: kind, ...state });
    return { kind, userId, email, sessionId: "session", passwordEnteredAt: now } as const;
  }

  async function addTool(slug: string, values: Partial<typeof tools.$inferInsert> = {}) {
    const { id = uuidv7(), name = slug, ...rest } = values;
    const description = `About ${slug}`;
    await db
      .insert(tools)
      .values({ id, slug, name, description, pricePaise: 14_900, sellsWhenNotReady: true, ...rest });
    return { id, name };
  }

  const addPass = (owner: { userId: string; email: string }, values: Parameters<typeof shop.pass>[1]) =>
    shop.pass({ actor: owner }, values);

  const admin = await addUser("admin");
  const chat = await addTool("chatgpt", {
    name: "ChatGPT Pro",
    servers: [
      { ...server("chatgpt-server-1", "Server 1"), url: "https://chat.example.com/" },
      server("chatgpt-server-2", "Server 2"),
      server("chatgpt-server-3", "Server 3"),
    ],
  });
  const bundle = await addTool("bundle", { name: "Everything" });
  const free = await addTool("grammar", { pricePaise: 0, servers: [server("grammar-server-1", "Server 1")] });
  await db.insert(toolPageGrants).values([
    { page: "chatgpt", toolId: bundle.id },
    { page: "chatgpt", toolName: "ChatGPT" },
  ]);
  for (const [serverName, simpleCode] of [
    ["Server 1", "CGPT-ONE"],
    ["server 2 ", "CGPT-TWO"],
  ] as const) {
    await createAccessCode(contextOf(admin), { toolId: chat.id, serverName, simpleCode, isActive: true });
  }

  return { db, cipher, contextOf, addUser, addTool, addPass, admin, chat, bundle, free, close: shop.close };
}

/** Purchases that are not an active pass at `now`, by their reason. */
export const inactivePasses = {
  pending: { status: "pending", startsAt: null, expiresAt: null },
  failed: { status: "failed" },
  expired: { startsAt: addDays(now, -30), expiresAt: now },
  "not yet begun": { startsAt: new Date(now.getTime() + 1), expiresAt: new Date(now.getTime() + DAY) },
  refunded: { endedAt: now, endedReason: "refunded" },
  cancelled: { endedAt: now, endedReason: "cancelled" },
} satisfies Record<string, Partial<typeof userPurchases.$inferInsert>>;
