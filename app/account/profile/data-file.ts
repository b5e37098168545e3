import { once } from "node:events";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { type ActionFunctionArgs, redirect } from "react-router";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { downloadMyData } from "#core/personal-data/download-my-data.server.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../../errors/error-messages.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";

const NO_STORE = { "cache-control": "no-store" };

/** The file cannot be opened by its address, because each download needs the confirmation of the owner. */
export function loader(): Response {
  return methodNotAllowed("POST");
}

/**
 * Sends everything that is stored about the signed-in person, as a file. A refusal is JSON for the page's script; a browser
 * without scripts is sent back to the page, with the code of the refusal in the address.
 */
export async function action({ request, context }: Pick<ActionFunctionArgs, "request" | "context">) {
  const ctx = context.get(shopContext);
  const isScript = request.headers.get("accept")?.startsWith("application/json") ?? false;
  try {
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
 * Reads the whole file, compressed to about a tenth of the text, before the first byte is sent. So the transaction that reads
 * it never waits for a slow connection.
 *
 * @param signal stops the reading when the person leaves
 */
async function collect(ctx: Context, input: UntrustedInput, signal: AbortSignal): Promise<Buffer[]> {
  const gzip = createGzip();
  const compressed = gzip.toArray();
  // It is awaited at the end only. Until then, its failure must not count as unhandled.
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
