import { z } from "zod";
import type { PricingOption, WorksOn } from "#db/tables/catalog.ts";
import { type AuthorisedContext, allowAnyone } from "../authorise.ts";
import { findToolBySlugOrName } from "../catalog/on-sale.server.ts";
import { inReadersLanguage } from "../catalog/translations.ts";
import type { Context } from "../context.ts";
import { CORE_MESSAGES } from "../errors.ts";
import { parseInput } from "../parse.ts";
import { acceptsTestPasses } from "../pass-validity.server.ts";
import { findPassAndRenewal } from "../passes/access.server.ts";
import { accessEndOf, wasDeclined } from "../passes/purchase-states.ts";
import type { GatewayName } from "../payments/payment-gateway.ts";
import { cleanText } from "../typed-text.ts";
import { renewableFrom } from "./hold-rules.ts";
import { buyingOptions } from "./pricing.ts";
import { listAttempts, listOwnPurchases } from "./queries.server.ts";

const NO_TOOL = CORE_MESSAGES["tool-not-found"];

const offerInput = z.object({
  tool: z.string(NO_TOOL).overwrite(cleanText).min(1, NO_TOOL).max(200, NO_TOOL),
});

/** What the purchase dialog shows. Prices in paise, validity in days. `state`: what the visitor may do now. */
export interface Offer {
  slug: string;
  name: string;
  description: string;
  features: string[];
  badge: string | null;
  worksOn: WorksOn[];
  options: PricingOption[];
  availableStock: number;
  state: "payable" | "already-owned" | "contact-only" | "free" | "payments-not-set-up";
  /** Who collects the payment; null while payments are not set up. */
  gateway: GatewayName | null;
  signedIn: boolean;
  /** The option and the coupon of the open checkout. */
  heldOption: string | null;
  heldCoupon: { code: string; discountPercentage: number } | null;
  /**
   * The buyer's open checkout of this tool. It holds a unit, so it can be paid when the tool is sold out; its payment may still
   * arrive.
   */
  openCheckout: { amountPaise: number; startedAt: Date; declined: boolean } | null;
  /** End of the active pass, when already owned. */
  ownedUntil: Date | null;
  /** The pass can be renewed now: the renewal starts when it ends. */
  canRenew: boolean;
  /** The time to renew the pass has come, and the tool is sold out. */
  renewalSoldOut: boolean;
  /** The later time from which the pass can be renewed; null: it has come, or there is none. */
  renewableFrom: Date | null;
  /** End of the renewal that waits for the end of the pass; null: there is none. */
  renewedUntil: Date | null;
  /** End of the visitor's last pass, when it has ended. */
  previousPassEndedAt: Date | null;
  now: Date;
}

/**
 * The offer for one tool, found by slug, by name, or by slug without regard to case; with the visitor's own state, and in the
 * language of the request.
 *
 * @throws DomainError tool-not-found
 */
export async function getOffer(ctx: Context, input: z.input<typeof offerInput>): Promise<Offer> {
  allowAnyone(ctx);
  const { tool: wanted } = parseInput(offerInput, input);
  const tool = inReadersLanguage(ctx, await findToolBySlugOrName(ctx, wanted));
  const { actor } = ctx;
  const now = ctx.clock.now();
  const signedIn = actor.kind === "user" || actor.kind === "admin";
  const pass = signedIn
    ? await findPassAndRenewal(ctx, ctx.db, { userId: actor.userId, toolId: tool.id })
    : null;
  const isSold = tool.pricePaise > 0 && !tool.contactOnly && ctx.ports.gateway !== null;
  const renewable = pass && pass.renewedUntil === null && isSold ? renewableFrom(pass.expiresAt) : null;
  const isTimeToRenew = renewable !== null && now >= renewable;
  const history =
    signedIn && (!pass || isTimeToRenew) ? await readHistory(ctx, actor.userId, tool.id) : NO_HISTORY;
  // The buyer's own open checkout holds a unit.
  const hasUnit = tool.availableStock > 0 || history.openCheckout !== null;
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
    features: tool.features,
    badge: tool.badge,
    worksOn: tool.worksOn,
    options: buyingOptions(tool),
    availableStock: tool.availableStock,
    state: state(),
    gateway: ctx.ports.gateway?.name ?? null,
    signedIn,
    heldOption: history.heldOption,
    heldCoupon: history.heldCoupon,
    openCheckout: history.openCheckout,
    ownedUntil: pass?.expiresAt ?? null,
    canRenew: isTimeToRenew && hasUnit,
    renewalSoldOut: isTimeToRenew && !hasUnit,
    renewedUntil: pass?.renewedUntil ?? null,
    renewableFrom: renewable && renewable > now ? renewable : null,
    previousPassEndedAt: pass ? null : history.previousPassEndedAt,
    now,
  };
}

type History = Pick<Offer, "heldOption" | "heldCoupon" | "openCheckout" | "previousPassEndedAt">;

const NO_HISTORY: History = {
  heldOption: null,
  heldCoupon: null,
  openCheckout: null,
  previousPassEndedAt: null,
};

/** The buyer's open checkout and last pass of a tool for which they have no pass, or a pass that can be renewed. */
async function readHistory(ctx: AuthorisedContext, userId: string, toolId: string): Promise<History> {
  const now = ctx.clock.now();
  const purchases = await listOwnPurchases(ctx.db, { userId, toolId });
  const held = purchases.find(
    ({ status, holdEndsAt }) => status === "pending" && holdEndsAt && holdEndsAt > now,
  );
  const ends = purchases.flatMap((purchase) => {
    if (purchase.testMode && !acceptsTestPasses(ctx)) return [];
    const end = accessEndOf(purchase);
    return end && end <= now ? [end.getTime()] : [];
  });
  return {
    heldOption: held?.optionLabel ?? null,
    heldCoupon:
      held?.couponCode && held.discountPercentage
        ? { code: held.couponCode, discountPercentage: held.discountPercentage }
        : null,
    openCheckout: held
      ? {
          amountPaise: held.amountPaise,
          startedAt: held.createdAt,
          declined: wasDeclined(await listAttempts(ctx.db, held.id)),
        }
      : null,
    previousPassEndedAt: ends.length > 0 ? new Date(Math.max(...ends)) : null,
  };
}
