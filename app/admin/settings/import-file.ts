import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { ActionFunctionArgs, LoaderFunctionArgs } from "react-router";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import { requireAdmin } from "#core/authorise.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { openImportReport, receiveImport } from "#core/import/uploaded-import.server.ts";
import {
  retryHeaders,
  SOMETHING_WENT_WRONG,
  toErrorCode,
  toErrorMessage,
} from "../../middleware/error-messages.ts";
import { requestInfo, shopContext } from "../../middleware/request-context.ts";
import type { AdminResult } from "../forms/admin-result.ts";

const NO_STORE = { "cache-control": "private, no-store" };

/** The report of the latest step as a download. It may have a line for a million documents, so it is sent compressed. */
export async function loader({ context, request }: Pick<LoaderFunctionArgs, "context" | "request">) {
  const ctx = context.get(shopContext);
  try {
    await requireAdminRequest(ctx);
    const report = await openImportReport(ctx);
    if (report === null) return new Response("There is no report on this server.", { status: 404 });
    const isCompressed = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const text = Readable.fromWeb(report as Parameters<typeof Readable.fromWeb>[0]);
    const body = isCompressed ? text.pipe(createGzip()) : text;
    return new Response(Readable.toWeb(body) as ReadableStream, {
      headers: {
        ...NO_STORE,
        "content-type": "text/plain; charset=utf-8",
        "content-disposition": 'attachment; filename="import-report.txt"',
        ...(isCompressed && { "content-encoding": "gzip", vary: "Accept-Encoding" }),
      },
    });
  } catch (error) {
    const { status, message } = refusalOf(ctx, error);
    return new Response(message, { status, headers: { ...NO_STORE, ...retryHeaders(error) } });
  }
}

/** Takes over a zip that the HTTP server has received into a file. Answers with an `AdminResult`. */
export async function action({ context, request }: Pick<ActionFunctionArgs, "context" | "request">) {
  const ctx = context.get(shopContext);
  try {
    await requireAdminRequest(ctx);
    requireAdmin(ctx, "changes-access");
    const { receivedFile } = context.get(requestInfo);
    if (receivedFile === null) {
      const message = "No zip file was received. Please reload the page and try again.";
      return respond({ ok: false, code: "bad-request", message }, 400);
    }
    // From here on the operation deletes a file that it refuses.
    receivedFile.keep();
    const fileName = new URL(request.url).searchParams.get("name") ?? "";
    await receiveImport(ctx, { id: receivedFile.id, bytes: receivedFile.bytes, fileName });
    return respond({ ok: true, message: null, value: null });
  } catch (error) {
    const { status, ...result } = refusalOf(ctx, error);
    return respond({ ok: false, ...result }, status, retryHeaders(error));
  }
}

function refusalOf(ctx: Context, error: unknown): { status: number; code: string; message: string } {
  if (!isDomainError(error)) ctx.log.error({ err: error }, "an upload of an old shop could not be handled");
  const { status, message } = toErrorMessage(error);
  return {
    status,
    code: toErrorCode(error, "failed"),
    message: isDomainError(error) ? message : SOMETHING_WENT_WRONG,
  };
}

function respond(result: AdminResult, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(result, { status, headers: { ...NO_STORE, ...headers } });
}
