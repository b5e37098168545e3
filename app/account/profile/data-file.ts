import { once } from "node:events";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { type ActionFunctionArgs, redirect } from "react-router";
import { requireSignedIn } from "#core/authorise.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { downloadMyData } from "#core/personal-data/download-my-data.server.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../../middleware/error-messages.ts";
import { methodNotAllowed } from "../../middleware/json-response.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";

const NO_STORE = { "cache-control": "no-store" };

/** The file has no address that can be visited: the password is asked for each time. */
export function loader(): Response {
  return methodNotAllowed("POST");
}

/**
 * Sends everything that is stored about the signed-in person as a file. A refusal is JSON for the page's script; a browser
 * without scripts is sent back to the page.
 */
export async function action({ request, context }: Pick<ActionFunctionArgs, "request" | "context">) {
  const ctx = context.get(shopContext);
  const isScript = request.headers.get("accept")?.startsWith("application/json") ?? false;
  try {
    requireSignedIn(ctx, "own-account");
    const compressed = await collect(ctx, await readBody(request), request.signal);
    const acceptsGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const parts = Readable.from(compressed);
    const body = acceptsGzip ? parts : parts.pipe(createGunzip());
    const today = new Intl.DateTimeFormat("en-CA", { timeZone: ctx.store.timeZone }).format(ctx.clock.now());
    return new Response(Readable.toWeb(body) as ReadableStream, {
      headers: {
        ...NO_STORE,
        "content-type": "application/json; charset=utf-8",
        "content-disposition": `attachment; filename="my-data-${today}.json"`,
        ...(acceptsGzip && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
      },
    });
  } catch (error) {
    if (request.signal.aborted) throw error;
    if (!isDomainError(error)) ctx.log.error({ err: error }, "the data of an account could not be sent");
    const code = toErrorCode(error, "failed");
    if (!isScript) throw redirect(`/account?download=${code}#data`, { headers: NO_STORE });
    const { status, message, fields } = toErrorMessage(error);
    const headers = { ...NO_STORE, ...retryHeaders(error) };
    return Response.json({ ok: false, code, message, fields }, { status, headers });
  }
}

/**
 * The file, compressed: a tenth of the text, so that it can be complete before the first byte is sent. The transaction that reads it
 * then never waits for a slow connection. It ends when the person leaves.
 */
async function collect(ctx: Context, input: UntrustedInput, signal: AbortSignal): Promise<Buffer[]> {
  const gzip = createGzip();
  const compressed = gzip.toArray();
  // Awaited only when all is written.
  compressed.catch(() => undefined);
  try {
    await downloadMyData(ctx, input, async (text) => {
      signal.throwIfAborted();
      if (!gzip.write(text)) await once(gzip, "drain", { signal });
    });
    gzip.end();
    return await compressed;
  } catch (error) {
    gzip.destroy();
    throw error;
  }
}
