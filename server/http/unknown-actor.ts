import type { Context } from "#core/context.ts";
import { isDatabaseUnavailable } from "#core/errors.ts";
import type { AppParts } from "./app.ts";
import { HEALTH_PATHS } from "./paths.ts";

type ContextFor = AppParts["contextFor"];

/**
 * Finds out who makes a request. Without a database that fails only where a part of the shop asks for the actor, so that
 * each address answers in its own way, and those that serve everyone go on. Nobody is taken for a visitor meanwhile.
 *
 * @param visitorFor the context of a visitor, made without the database
 */
export function tolerateUnknownActor(
  contextFor: ContextFor,
  visitorFor: (...request: Parameters<ContextFor>) => Context,
): ContextFor {
  return async (...asked) => {
    const [request, , log] = asked;
    if (HEALTH_PATHS.has(new URL(request.url).pathname)) return { ctx: visitorFor(...asked), setCookies: [] };
    try {
      return await contextFor(...asked);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ err: error }, "the signed-in user could not be determined: the database is unavailable");
      return { ctx: withUnknownActor(visitorFor(...asked), error), setCookies: [] };
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
