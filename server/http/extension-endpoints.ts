import type { Hono } from "hono";
import { respondToExtension } from "#app/extension-api/extension-api.ts";
import type { Context as ShopContext } from "#core/context.ts";
import { EXTENSION_PATH } from "./paths.ts";
import type { AppEnv } from "./request-scope.ts";
import { requireRequest } from "./request-scope.ts";

/**
 * The endpoints of the browser extension, outside the page framework: their actor is a visitor, whatever cookies the
 * request has, and the device token decides.
 */
export function mountExtensionApi(
  app: Hono<AppEnv>,
  visitorContext: (
    request: Request,
    address: string,
    log: ShopContext["log"],
    requestId: string,
  ) => ShopContext,
): void {
  app.all(`${EXTENSION_PATH}/*`, (c) => {
    const { address, log, requestId } = requireRequest();
    return respondToExtension(visitorContext(c.req.raw, address, log, requestId), c.req.raw);
  });
}
