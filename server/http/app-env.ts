import type { HttpBindings } from "@hono/node-server";

/** What the handlers of the HTTP server share about a request. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: { nonce: string };
}
