import { databaseHealth } from "../request/request-context.ts";
import type { Route } from "./+types/readyz";

/** Shorter than the usual timeout of a load balancer's health check. */
const DATABASE_TIMEOUT_MS = 2_000;

/** Readiness: 200 when the database answers, else 503. */
export async function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ready = await context.get(databaseHealth).answers(DATABASE_TIMEOUT_MS);
  return Response.json(
    { ok: ready, database: ready ? "up" : "down" },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store" } },
  );
}
