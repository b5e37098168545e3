import type { ActionFunctionArgs } from "react-router";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import { applyCatalogue } from "#core/catalog/catalogue-file/apply-catalogue.server.ts";
import { downloadCatalogue } from "#core/catalog/catalogue-file/download-catalogue.server.ts";
import { previewCatalogue } from "#core/catalog/catalogue-file/preview-catalogue.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { forgetFigures } from "#core/reports/figures.server.ts";
import {
  retryHeaders,
  SOMETHING_WENT_WRONG,
  toErrorCode,
  toErrorMessage,
} from "../../../errors/error-messages.ts";
import { readBody } from "../../../request/read-body.ts";
import { shopContext } from "../../../request/request-context.ts";
import type { AdminResult } from "../../forms/admin-result.ts";
import { readUpload, UPLOAD_TYPE } from "./catalogue-upload.ts";

const NO_STORE = { "cache-control": "private, no-store" };

/** How many access codes the shop has that the downloaded file does not have. */
const LEFT_OUT_HEADER = "x-left-out-access-codes";

/** Neither a file nor a preview has an address that can be visited. */
export function loader(): Response {
  return new Response("Method Not Allowed", { status: 405, headers: { ...NO_STORE, allow: "POST" } });
}

/**
 * The catalogue file of the shop. The field `intent` of the body, which is JSON or, with a file, an upload: `download`
 * answers with the file, `preview` and `apply` with an `AdminResult`, as every refusal does.
 */
async function handleFile({ request, context }: Pick<ActionFunctionArgs, "request" | "context">) {
  const ctx = context.get(shopContext);
  try {
    // Before the body is parsed, because it may be longer than any other.
    await requireAdminRequest(ctx);
    const isUpload = request.headers.get("content-type") === UPLOAD_TYPE;
    const body = isUpload ? readUpload(new Uint8Array(await request.arrayBuffer())) : await readBody(request);
    const { intent, ...input } = body;
    return await run(ctx, intent, input);
  } catch (error) {
    return refuse(ctx, error);
  }
}

const OPERATIONS = new Map<unknown, (ctx: Context, input: UntrustedInput) => Promise<Response>>([
  ["download", async (ctx, input) => attach(ctx, await downloadCatalogue(ctx, input))],
  ["preview", async (ctx, input) => answerWith(await previewCatalogue(ctx, input))],
  ["apply", async (ctx, input) => answerWith(await apply(ctx, input))],
]);

export const action = Object.assign(handleFile, { intents: [...OPERATIONS.keys()] });

async function run(ctx: Context, intent: unknown, input: UntrustedInput): Promise<Response> {
  const operation = OPERATIONS.get(intent);
  if (operation !== undefined) return operation(ctx, input);
  const message = "Unknown action. Please reload the page.";
  return respond({ ok: false, code: "unknown-intent", message }, 400);
}

async function apply(ctx: Context, input: UntrustedInput) {
  const result = await applyCatalogue(ctx, input);
  forgetFigures(ctx);
  return result;
}

const answerWith = (value: unknown) => respond({ ok: true, message: null, value });

function attach(
  ctx: Context,
  { text, leftOutAccessCodes }: Awaited<ReturnType<typeof downloadCatalogue>>,
): Response {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: ctx.store.timeZone }).format(ctx.clock.now());
  return new Response(text, {
    headers: {
      ...NO_STORE,
      "content-type": "application/json; charset=utf-8",
      "content-disposition": `attachment; filename="catalogue-${today}.json"`,
      [LEFT_OUT_HEADER]: String(leftOutAccessCodes),
    },
  });
}

function respond(result: AdminResult, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(result, { status, headers: { ...NO_STORE, ...headers } });
}

function refuse(ctx: Context, error: unknown): Response {
  if (!isDomainError(error)) ctx.log.error({ err: error }, "the catalogue file could not be handled");
  const { status, message: text, fields } = toErrorMessage(error);
  const message = isDomainError(error) ? text : SOMETHING_WENT_WRONG;
  const code = toErrorCode(error, "failed");
  return respond({ ok: false, code, message, ...(fields && { fields }) }, status, retryHeaders(error));
}
