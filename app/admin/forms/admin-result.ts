import { isRouteErrorResponse } from "react-router";
import { SOMETHING_WENT_WRONG } from "../../errors/error-messages.ts";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";

/** What the action of an admin's page answers. */
export type AdminResult =
  /** `message`: the green banner, if there is one. `value`: what the operation returned. */
  | { ok: true; message: string | null; value: unknown }
  /** `fields`: the messages of each invalid field, by its path, such as "options.0.label". */
  | { ok: false; code: string; message: string; fields?: Record<string, string[]> };

/** The code of a refusal that asks for the admin's password. */
export const PASSWORD_NEEDED = "password-needed";

/** What becomes of a request that got no response. */
export const NO_RESPONSE = { ok: false, code: "offline", message: NETWORK_ERROR_MESSAGE } as const;

/** Whether an error of a request means that it got no response: fetch then throws a TypeError. */
export function isNoResponse(error: unknown): boolean {
  return error instanceof TypeError;
}

function messageForStatus(status: number): string {
  return status === 413 ? "This is too long to save. Please shorten it." : SOMETHING_WENT_WRONG;
}

/**
 * The `clientAction` of an admin's page. A missing response becomes a result, because the router would otherwise
 * replace the page, and what was typed into it, with the error page.
 */
export async function callAdminAction<Result>({
  serverAction,
}: {
  serverAction: () => Promise<Result>;
}): Promise<Result | { ok: false; code: string; message: string }> {
  try {
    return await serverAction();
  } catch (error) {
    if (isNoResponse(error)) return NO_RESPONSE;
    // The server refused the request before it reached the action.
    if (!isRouteErrorResponse(error)) throw error;
    return { ok: false, code: "failed", message: messageForStatus(error.status) };
  }
}
