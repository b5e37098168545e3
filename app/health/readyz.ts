import { databaseHealth } from "../middleware/request-context.ts";
import type { Route } from "./+types/readyz";

/** A load balancer asks every few seconds, and gives up soon after. */
const ANSWER_WITHIN_MS = 2_000;

/** The database answers too. */
export async function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ready = await context.get(databaseHealth).answers(ANSWER_WITHIN_MS);
  return Response.json(
    { ok: ready, database: ready ? "up" : "down" },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store" } },
  );
}
