import { CHECK_CONNECTION } from "../../ui/shop-connection.ts";

/** What a route answers that loads the data of one dialog. */
export type DialogData<Data> = { ok: true; value: Data } | { ok: false; code: string; message: string };

/** The code when there was no response. */
export const OFFLINE = "offline";

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
    // fetch throws a TypeError when there is no response.
    if (error instanceof TypeError)
      return { ok: false, code: OFFLINE, message: `${failed}. ${CHECK_CONNECTION}` };
    return { ok: false, code: "failed", message: failed };
  }
}
