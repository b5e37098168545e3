import { data } from "react-router";
import type { Context } from "#core/context.ts";
import { releaseDevice, renameDevice } from "#core/devices/manage-devices.server.ts";
import { isDomainError } from "#core/errors.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { toErrorMessage } from "../../errors/error-messages.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { t } from "../../ui/texts/texts.ts";
import type { Route } from "./+types/device-actions";

const OPERATIONS = new Map<unknown, (ctx: Context, input: UntrustedInput) => Promise<void>>([
  ["rename", renameDevice],
  ["release", releaseDevice],
]);

/** POST { intent: rename or release, deviceId, name }: changes a device of the signed-in user. */
async function changeDevice({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const { intent, ...input } = await readBody(request);
  const operation = OPERATIONS.get(intent);
  if (operation === undefined) return refusal(400, t("Unknown action. Please reload the page."));
  try {
    await operation(ctx, input);
    return data<DeviceResult>({ ok: true, message: null });
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const { status, message } = toErrorMessage(error);
    return refusal(status, message);
  }
}

export const action = Object.assign(changeDevice, { intents: [...OPERATIONS.keys()] });

export function loader(): Response {
  return methodNotAllowed("POST");
}

interface DeviceResult {
  ok: boolean;
  message: string | null;
}

const refusal = (status: number, message: string) => data<DeviceResult>({ ok: false, message }, { status });
