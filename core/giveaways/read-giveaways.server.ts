import type { WorksOn } from "#db/tables/catalog.ts";
import type { GiveawayRound } from "#db/tables/giveaways.ts";
import { type AuthorisedContext, allowAnyone } from "../authorise.ts";
import { isUnconfirmedRestore } from "../backups/restored-shop.server.ts";
import { findToolOnSale, type getTool } from "../catalog/on-sale.server.ts";
import { hasCodesLeft } from "../catalog/stock.server.ts";
import { readGiveawaySettings } from "../catalog/store-settings.server.ts";
import { inReadersLanguage } from "../catalog/translations.ts";
import type { Context } from "../context.ts";
import { findActivePass } from "../passes/access.server.ts";
import {
  insertRound,
  selectLastEnd,
  selectRoundAt,
  selectWinner,
  selectWonRounds,
} from "./queries.server.ts";
import { DEFAULT_VALIDITY_DAYS, dayOf, maskWinner, WINNERS_LISTED } from "./rules.ts";

/** The giveaway of today, as everybody may see it. */
export interface TodaysGiveaway {
  roundId: string;
  toolName: string;
  toolSlug: string;
  description: string;
  worksOn: WorksOn[];
  /** The length of the pass, in days. */
  validityDays: number;
  startsAt: Date;
  endsAt: Date;
  /** The time of reading. */
  now: Date;
  /**
   * What the actor may do. open: claim it, a visitor after signing in · taken: nothing, somebody has claimed it · won:
   * open the tool · owned: nothing, they have the tool · admin: nothing, admins take no part.
   */
  state: "open" | "taken" | "won" | "owned" | "admin";
  /** When it was claimed, and by whom: a part of a name or of an address. null: nobody has claimed it. */
  claim: { at: Date; by: string } | null;
  /** When the actor's pass for the tool ends; null if there is none. */
  ownedUntil: Date | null;
}

/** The giveaway of today with the actor's own part in it; null when nothing is given away. Open to all. */
export async function readTodaysGiveaway(ctx: Context): Promise<TodaysGiveaway | null> {
  allowAnyone(ctx);
  const today = await openTodaysRound(ctx);
  if (today === null) return null;
  const { round } = today;
  const tool = inReadersLanguage(ctx, today.tool);
  const userId = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  const pass = userId === null ? null : await findActivePass(ctx, ctx.db, { userId, toolId: tool.id });
  const state = (): TodaysGiveaway["state"] => {
    if (ctx.actor.kind === "admin") return "admin";
    if (pass) return round.winnerUserId === userId ? "won" : "owned";
    return round.winnerUserId === null ? "open" : "taken";
  };
  return {
    roundId: round.id,
    toolName: tool.name,
    toolSlug: tool.slug,
    description: tool.description,
    worksOn: tool.worksOn,
    validityDays: round.validityDays,
    startsAt: round.startsAt,
    endsAt: round.endsAt,
    now: ctx.clock.now(),
    state: state(),
    claim: await readClaim(ctx, round),
    ownedUntil: pass?.expiresAt ?? null,
  };
}

async function readClaim(
  ctx: AuthorisedContext,
  { winnerUserId, claimedAt }: { winnerUserId: string | null; claimedAt: Date | null },
): Promise<TodaysGiveaway["claim"]> {
  if (winnerUserId === null || claimedAt === null) return null;
  const winner = await selectWinner(ctx.db, winnerUserId);
  return winner && { at: claimedAt, by: maskWinner(winner) };
}

export interface PastWinner {
  roundId: string;
  /** The begin of the day. */
  day: Date;
  toolName: string;
  /** A part of a name or of an e-mail address. */
  winner: string;
}

/** The winners of the last days on which somebody won, the newest first. Open to all. */
export async function listPastWinners(ctx: Context): Promise<PastWinner[]> {
  allowAnyone(ctx);
  const rounds = await selectWonRounds(ctx.db, WINNERS_LISTED);
  return rounds.map(({ id, startsAt, toolName, winner }) => ({
    roundId: id,
    day: startsAt,
    toolName,
    winner: maskWinner(winner),
  }));
}

type ToolOnSale = Awaited<ReturnType<typeof getTool>>;

/**
 * The round of today, which is opened when nobody has asked for it yet; null when the owner has chosen no tool, or when the
 * tool is free, not on sale, or has no code for a winner, or in a restored shop that no admin has confirmed. Its tool and
 * validity do not change during the day, whatever the owner chooses meanwhile; only choosing no tool stops it. Open to all.
 */
export async function openTodaysRound(
  ctx: AuthorisedContext,
): Promise<{ round: GiveawayRound; tool: ToolOnSale } | null> {
  const [settings, running, isUnconfirmed] = await Promise.all([
    readGiveawaySettings(ctx),
    selectRoundAt(ctx.db, ctx.clock.now()),
    isUnconfirmedRestore(ctx.db),
  ]);
  if (settings === null || isUnconfirmed) return null;
  const round = running ?? (await openRound(ctx, settings));
  if (round === null) return null;
  const tool = await findToolOnSale(ctx, { id: round.toolId });
  if (tool === null || tool.pricePaise === 0) return null;
  const isOutOfCodes = round.winnerUserId === null && !(await hasCodesLeft(ctx.db, tool.id));
  return isOutOfCodes ? null : { round, tool };
}

async function openRound(
  ctx: AuthorisedContext,
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
