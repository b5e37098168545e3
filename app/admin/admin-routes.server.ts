import { parse } from "@conform-to/react";
import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type RouterContextProvider,
} from "react-router";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import type { Context } from "#core/context.ts";
import { type ErrorCode, isDomainError } from "#core/errors.ts";
import type { ListInput } from "#core/lists/paging.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { forgetFigures } from "#core/reports/figures.server.ts";
import { retryHeaders, SOMETHING_WENT_WRONG, toErrorCode, toErrorMessage } from "../errors/error-messages.ts";
import { parseForm } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import type { DialogData } from "./dialogs/dialog-content.tsx";
import type { AdminResult } from "./forms/admin-result.ts";

/**
 * Loads what a page of the admin shows. Everybody else gets null: the frame shows them the sign-in form instead.
 *
 * @param load gets the parameters of the address; it authorises again
 */
export async function loadForAdmin<Data>(
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
  load: (ctx: Context, input: ListInput) => Promise<Data>,
): Promise<Data | null> {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") return null;
  try {
    // A data request may leave the frame out, which records the refusal of a buyer otherwise.
    await requireAdminRequest(ctx);
  } catch (error) {
    // The frame leads to the account page, where the password is changed.
    if (isDomainError(error, "forbidden") || isDomainError(error, "password-change-needed")) return null;
    throw error;
  }
  return load(ctx, Object.fromEntries(new URL(request.url).searchParams));
}

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

/** One thing that an admin's page can do. */
interface AdminOperation {
  /** An operation of core: it authorises and parses. What it returns is sent to the page. */
  run: (ctx: Context, input: UntrustedInput) => Promise<unknown>;
  /** The green banner, which may depend on what `run` returned; null: none. */
  done: string | ((value: unknown) => string) | null;
  /** The red banner for an error that is no refusal. */
  failed: string;
  /** Messages for refusals whose general message is addressed to a buyer. */
  refusals?: Partial<Record<ErrorCode, string>>;
}

/**
 * The action of an admin's page: the field `intent` names one of its operations, the other fields are its input. Names
 * such as `options[0].label` become nested values.
 *
 * @returns the action, with the names of its operations
 */
export function adminAction(operations: Readonly<Record<string, AdminOperation>>) {
  const action = async ({ request, context }: Pick<ActionFunctionArgs, "request" | "context">) => {
    const ctx = context.get(shopContext);
    try {
      // Each operation authorises too. Nobody else's form is read.
      await requireAdminRequest(ctx);
    } catch (error) {
      return refusal(ctx, error, { failed: SOMETHING_WENT_WRONG });
    }
    const { intent, ...input } = readForm(await request.text());
    const operation =
      typeof intent === "string" && Object.hasOwn(operations, intent) ? operations[intent] : undefined;
    if (operation === undefined) {
      const message = "Unknown action. Please reload the page.";
      return data<AdminResult>({ ok: false, code: "unknown-intent", message }, { status: 400 });
    }
    try {
      const value = await operation.run(ctx, input);
      forgetFigures(ctx);
      const message = typeof operation.done === "function" ? operation.done(value) : operation.done;
      return data<AdminResult>({ ok: true, message, value: value ?? null });
    } catch (error) {
      return refusal(ctx, error, operation);
    }
  };
  return Object.assign(action, { intents: Object.keys(operations) });
}

/** A high index creates a sparse array, and iterating it takes as long as iterating a full one. */
const LONG_INDEX = /\[\d{4,}/;
/** Longer than the path of any field. Each step of a path creates an object. */
const MAX_NAME_LENGTH = 100;

/** The nested values of a posted form. Fields of a list after the 1,000th are left out. */
function readForm(body: string): UntrustedInput {
  const fields = new URLSearchParams();
  for (const [name, value] of parseForm(body))
    if (name.length <= MAX_NAME_LENGTH && !LONG_INDEX.test(name)) fields.append(name, value);
  return parse(fields, { resolve: (value) => ({ value }) }).payload;
}

function refusal(
  ctx: Context,
  error: unknown,
  { failed, refusals }: Pick<AdminOperation, "failed" | "refusals">,
) {
  const { status, message, fields } = toErrorMessage(error);
  if (!isDomainError(error)) ctx.log.error({ err: error }, "an action of the admin failed");
  const result: AdminResult = {
    ok: false,
    code: toErrorCode(error, "failed"),
    message: isDomainError(error) ? (refusals?.[error.code] ?? message) : failed,
    ...(fields && { fields }),
  };
  return data(result, { status, headers: retryHeaders(error) });
}
