import { z } from "zod";
import type { PricingOption } from "#db/tables/catalog.ts";
import { findToolByName } from "../catalog/find-tool-by-name.server.ts";
import type { Context } from "../context.ts";
import { findActivePass } from "../entitlements/find-active-pass.server.ts";
import { acceptsTestPasses } from "../entitlements/test-passes.ts";
import { parseInput } from "../parse.ts";
import { buyingOptions } from "./pricing.ts";
import { listOwnPurchases } from "./queries.server.ts";

const offerInput = z.object({
  tool: z.string("Tool not found").trim().min(1, "Tool not found").max(200, "Tool not found"),
});

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
  /** The option and the coupon of this earlier try. */
  heldOption: string | null;
  heldCoupon: { code: string; discountPercentage: number } | null;
  /** End of the running pass, when already owned. */
  ownedUntil: Date | null;
  /** End of the visitor's last pass, when it has ended. */
  previousPassEndedAt: Date | null;
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
  const past = signedIn && !pass ? await readPast(ctx, actor.userId, tool.id) : NOTHING;
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
    resumable: past.resumable,
    heldOption: past.heldOption,
    heldCoupon: past.heldCoupon,
    ownedUntil: pass?.expiresAt ?? null,
    previousPassEndedAt: past.previousPassEndedAt,
    now,
  };
}

type Past = Pick<Offer, "resumable" | "heldOption" | "heldCoupon" | "previousPassEndedAt">;

const NOTHING: Past = { resumable: false, heldOption: null, heldCoupon: null, previousPassEndedAt: null };

/** What the buyer's earlier checkouts of a tool, without a running pass, mean for the next. */
async function readPast(ctx: Context, userId: string, toolId: string): Promise<Past> {
  const now = ctx.clock.now();
  const purchases = await listOwnPurchases(ctx.db, { userId, toolId });
  const held = purchases.find(
    ({ status, holdEndsAt }) => status === "pending" && holdEndsAt && holdEndsAt > now,
  );
  const ends = purchases.flatMap(({ status, endedAt, expiresAt, testMode }) => {
    if (status === "pending" || (testMode && !acceptsTestPasses(ctx))) return [];
    const end = endedAt ?? expiresAt;
    return end && end <= now ? [end.getTime()] : [];
  });
  return {
    resumable: held !== undefined,
    heldOption: held?.optionLabel ?? null,
    heldCoupon:
      held?.couponCode && held.discountPercentage
        ? { code: held.couponCode, discountPercentage: held.discountPercentage }
        : null,
    previousPassEndedAt: ends.length > 0 ? new Date(Math.max(...ends)) : null,
  };
}
