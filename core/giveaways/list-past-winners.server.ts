import type { Context } from "../context.ts";
import { maskWinner } from "./mask-winner.ts";
import { selectWonRounds } from "./queries.server.ts";
import { WINNERS_LISTED } from "./rules.ts";

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
  const rounds = await selectWonRounds(ctx.db, WINNERS_LISTED);
  return rounds.map(({ id, startsAt, toolName, winner }) => ({
    roundId: id,
    day: startsAt,
    toolName,
    winner: maskWinner(winner),
  }));
}
