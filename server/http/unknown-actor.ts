import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { AppParts } from "./app.ts";
import { HEALTH_PATHS } from "./paths.ts";

type ContextFor = AppParts["contextFor"];

/**
 * Resolves the actor of a request. When the database is unavailable, the request fails only where code reads the actor:
 * endpoints that need no actor still work, and each other endpoint shows the failure in its own way. A signed-in user
 * is not treated as a visitor in the meantime.
 *
 * @param visitorFor returns the context of a visitor, without use of the database
 */
export function tolerateUnknownActor(
  contextFor: ContextFor,
  visitorFor: (...request: Parameters<ContextFor>) => Context,
): ContextFor {
  return async (...args) => {
    const [request, , log] = args;
    if (HEALTH_PATHS.has(new URL(request.url).pathname)) return { ctx: visitorFor(...args), setCookies: [] };
    try {
      return await contextFor(...args);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ err: error }, "the signed-in user could not be determined: the database is unavailable");
      return { ctx: withUnknownActor(visitorFor(...args), error), setCookies: [] };
    }
  };
}

function withUnknownActor(ctx: Context, reason: unknown): Context {
  return Object.defineProperty({ ...ctx }, "actor", {
    enumerable: true,
    get() {
      throw reason;
    },
  });
}
