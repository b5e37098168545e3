import type { Hono } from "hono";
import { isStillAdmin } from "#core/accounts/sessions.server.ts";
import type { Actor, Log, Context as ShopContext } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import { topicsFor } from "#core/live/topics.ts";
import { addCookies } from "../pages.ts";
import { refusalResponse } from "../refusals.ts";
import { type AppEnv, LIVE_PATH, requireRequest } from "../request-scope.ts";
import type { LiveStreams } from "./live-streams.ts";

interface LiveParts {
  contextFor(
    request: Request,
    ipAddress: string,
    log: Log,
    requestId: string,
  ): Promise<{ ctx: ShopContext; setCookies: string[] }>;
  liveStreams: LiveStreams;
}

/**
 * GET /live, outside the page framework: a stream of server-sent events about what changes in the shop. Everybody may hear of
 * the stock, an admin of everything.
 */
export function mountLive(app: Hono<AppEnv>, { contextFor, liveStreams }: LiveParts): void {
  app.all(LIVE_PATH, async (c) => {
    if (c.req.method !== "GET") return methodNotAllowed();
    const { address, log, requestId, abort } = requireRequest();
    const { ctx, setCookies } = await contextFor(c.req.raw, address, log, requestId);
    const actor = readActor(ctx);
    const body =
      actor === null
        ? null
        : liveStreams.open({
            topics: topicsFor(actor),
            isAdmin: actor.kind === "admin",
            abort,
            ...((actor.kind === "user" || actor.kind === "admin") && { sessionId: actor.sessionId }),
            ...(actor.kind === "admin" && { isStillAllowed: () => isStillAdmin(ctx) }),
          });
    if (body === null) return refusalResponse(503);
    const headers = new Headers({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      // Proxies would otherwise collect the events in a buffer.
      "x-accel-buffering": "no",
    });
    addCookies(headers, setCookies);
    return new Response(body, { headers });
  });
}

/** @returns null when the actor is unknown because the database is unavailable */
function readActor(ctx: { readonly actor: Actor }): Actor | null {
  try {
    return ctx.actor;
  } catch (error) {
    if (isDatabaseUnavailable(error)) return null;
    throw error;
  }
}

function methodNotAllowed(): Response {
  const response = refusalResponse(405);
  response.headers.set("allow", "GET");
  return response;
}
