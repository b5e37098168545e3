import { data, type LoaderFunctionArgs } from "react-router";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { retryHeaders, toErrorCode, toErrorMessage } from "../../middleware/error-messages.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { DialogData } from "./dialog-data.ts";

/**
 * Loads the data of one dialog. A refusal and a failure are results with a message, so that the page stays.
 *
 * @param load an operation of core: it authorises and parses. It gets the parameters of the path.
 * @param failed the message for an error that is no refusal
 */
export async function loadForDialog<Data>(
  { params, context }: Pick<LoaderFunctionArgs, "params" | "context">,
  load: (ctx: Context, input: UntrustedInput) => Promise<Data>,
  failed: string,
) {
  const ctx = context.get(shopContext);
  try {
    await requireAdminRequest(ctx);
    return data<DialogData<Data>>({ ok: true, value: await load(ctx, params) });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "loading a dialog of the admin failed");
    const { status, message } = toErrorMessage(error);
    const shown = isDomainError(error) ? message : failed;
    const result: DialogData<Data> = { ok: false, code: toErrorCode(error, "failed"), message: shown };
    return data(result, { status, headers: retryHeaders(error) });
  }
}
