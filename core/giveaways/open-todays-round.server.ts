import type { GiveawayRound } from "#db/tables/giveaways.ts";
import { findToolOnSale, type getTool } from "../catalog/get-tool.server.ts";
import { hasCodesLeft } from "../catalog/stock.server.ts";
import { readGiveawaySettings } from "../catalog/store-settings.server.ts";
import type { Context } from "../context.ts";
import { insertRound, selectLastEnd, selectRoundAt } from "./queries.server.ts";
import { DEFAULT_VALIDITY_DAYS, dayOf } from "./rules.ts";

type ToolOnSale = Awaited<ReturnType<typeof getTool>>;

/**
 * The round of today, which is opened when nobody has asked for it yet; null when the owner has chosen no tool, or when
 * the tool is free, not on sale, or has no code for a winner. Its tool and validity do not change during the day, whatever
 * the owner chooses meanwhile; only choosing no tool stops it. Open to all.
 */
export async function openTodaysRound(
  ctx: Context,
): Promise<{ round: GiveawayRound; tool: ToolOnSale } | null> {
  const [settings, running] = await Promise.all([
    readGiveawaySettings(ctx),
    selectRoundAt(ctx.db, ctx.clock.now()),
  ]);
  if (settings === null) return null;
  const round = running ?? (await openRound(ctx, settings));
  if (round === null) return null;
  const tool = await findToolOnSale(ctx, { id: round.toolId });
  if (tool === null || tool.pricePaise === 0) return null;
  const isOutOfCodes = round.winnerUserId === null && !(await hasCodesLeft(ctx.db, tool.id));
  return isOutOfCodes ? null : { round, tool };
}

async function openRound(
  ctx: Context,
  { toolSlug, validityDays }: NonNullable<Awaited<ReturnType<typeof readGiveawaySettings>>>,
): Promise<GiveawayRound | null> {
  const tool = await findToolOnSale(ctx, { slug: toolSlug });
  if (tool === null || tool.pricePaise === 0) return null;
  const now = ctx.clock.now();
  const day = dayOf(now, ctx.store.timeZone);
  // The last round reaches into this day when the owner has changed the time zone.
  const lastEnd = await selectLastEnd(ctx.db, now);
  await insertRound(ctx.db, {
    startsAt: lastEnd !== null && lastEnd > day.startsAt ? lastEnd : day.startsAt,
    endsAt: day.endsAt,
    toolId: tool.id,
    validityDays: validityDays ?? DEFAULT_VALIDITY_DAYS,
    createdAt: now,
  });
  // Another process may have opened it.
  return selectRoundAt(ctx.db, now);
}
