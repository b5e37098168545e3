import { and, eq, gt } from "drizzle-orm";
import { z } from "zod";
import type { PricingOption } from "#db/tables/catalog.ts";
import { userPurchases } from "#db/tables/purchases.ts";
import { findToolByName } from "../catalog/find-tool-by-name.server.ts";
import type { Context } from "../context.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { parseInput } from "../parse.ts";
import { buyingOptions } from "./pricing.ts";

const offerInput = z.object({ tool: z.string().trim().min(1).max(200) });

/** What the purchase modal shows. Paise, days. `state` says what the visitor may do now. */
export interface Offer {
  slug: string;
  name: string;
  description: string;
  badge: string | null;
  options: PricingOption[];
  availableStock: number;
  state: "payable" | "already-owned" | "contact-only" | "free" | "payments-not-set-up";
  signedIn: boolean;
  /** The visitor holds a unit from an earlier try: it is theirs to pay even when none is left. */
  resumable: boolean;
  /** End of the running pass, when already owned. */
  ownedUntil: Date | null;
  now: Date;
}

/**
 * The offer for one tool, found by slug, by name, or by slug without regard to case; with the visitor's own state.
 *
 * @throws DomainError tool-not-found
 */
export async function getOffer(ctx: Context, input: z.input<typeof offerInput>): Promise<Offer> {
  const { tool: wanted } = parseInput(offerInput, input);
  const tool = await findToolByName(ctx, wanted);
  const { actor } = ctx;
  const now = ctx.clock.now();
  const signedIn = actor.kind === "user" || actor.kind === "admin";
  const pass = signedIn ? await findActivePass(ctx, ctx.db, { userId: actor.userId, toolId: tool.id }) : null;
  const resumable = signedIn && !pass && (await holdsUnit(ctx, actor.userId, tool.id));
  const state = (): Offer["state"] => {
    if (pass) return "already-owned";
    if (tool.contactOnly) return "contact-only";
    if (tool.pricePaise === 0) return "free";
    if (!ctx.ports.gateway) return "payments-not-set-up";
    return "payable";
  };
  return {
    slug: tool.slug,
    name: tool.name,
    description: tool.description,
    badge: tool.badge,
    options: buyingOptions(tool),
    availableStock: tool.availableStock,
    state: state(),
    signedIn,
    resumable,
    ownedUntil: pass?.expiresAt ?? null,
    now,
  };
}

async function holdsUnit(ctx: Context, userId: string, toolId: string): Promise<boolean> {
  const held = and(
    eq(userPurchases.userId, userId),
    eq(userPurchases.toolId, toolId),
    eq(userPurchases.status, "pending"),
    gt(userPurchases.holdEndsAt, ctx.clock.now()),
  );
  return (await ctx.db.$count(userPurchases, held)) > 0;
}
