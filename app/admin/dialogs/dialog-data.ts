import { isNoResponse, NO_RESPONSE } from "../forms/admin-result.ts";

/** What a route answers that loads the data of one dialog. */
export type DialogData<Data> = { ok: true; value: Data } | { ok: false; code: string; message: string };

/**
 * For the `clientLoader` of such a route: a missing response becomes a result, because the router would otherwise
 * replace the page with the error page.
 */
export async function loadOrExplain<Data>(
  serverLoader: () => Promise<DialogData<Data>>,
  failed: string,
): Promise<DialogData<Data>> {
  try {
    return await serverLoader();
  } catch (error) {
    if (error instanceof Response) throw error;
    if (isNoResponse(error)) return NO_RESPONSE;
    return { ok: false, code: "failed", message: failed };
  }
}
