import { releaseDevice } from "#core/devices/release-device.server.ts";
import { renameDevice } from "#core/devices/rename-device.server.ts";
import { isDomainError } from "#core/errors.ts";
import { toErrorMessage } from "../../middleware/error-messages.ts";
import { readBody } from "../../middleware/read-body.ts";
import { shopContext } from "../../middleware/request-context.ts";
import type { Route } from "./+types/device-actions";

const OPERATIONS = { rename: renameDevice, release: releaseDevice };

/** POST { intent: rename or release, deviceId, name }: changes a device of the signed-in user. */
export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const { intent, ...input } = await readBody(request);
  const operation = OPERATIONS[intent === "rename" ? "rename" : "release"];
  try {
    await operation(ctx, input);
    return { ok: true, message: null };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    return { ok: false, message: toErrorMessage(error).message };
  }
}
