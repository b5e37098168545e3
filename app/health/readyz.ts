import { checkReadiness } from "#core/reports/check-readiness.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/readyz";

/** The database answers too. */
export async function loader({ context }: Route.LoaderArgs): Promise<Response> {
  const ready = await checkReadiness(context.get(shopContext));
  return Response.json(
    { ok: ready, database: ready ? "up" : "down" },
    { status: ready ? 200 : 503, headers: { "cache-control": "no-store" } },
  );
}
