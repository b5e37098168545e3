import type { ClientInstrumentation } from "react-router";
import { isShopReachable } from "../ui/is-shop-reachable.ts";
import { loadModules, missingModules } from "./route-modules.ts";
import { promptRetry } from "./try-again.ts";

/**
 * Loads the code of a route before the router starts a navigation or a submission to it. Without this, the router reloads
 * the document when that code does not come, and without a connection the browser's error page replaces the shop and
 * everything that was typed. While the code does not come, the navigation or submission has not begun.
 */
export const loadBeforeGoing: ClientInstrumentation = {
  router({ instrument }) {
    instrument({
      async navigate(go, { to, formMethod }) {
        // A number is a step in the history.
        if (typeof to === "string" && isMissing(to)) await untilLoaded(to, formMethod !== undefined);
        await go();
      },
      async fetch(go, { href, formMethod }) {
        if (isMissing(href)) await untilLoaded(href, formMethod !== undefined);
        await go();
      },
    });
  },
};

function isMissing(path: string): boolean {
  return missingModules(path).length > 0;
}

/** Never resolves when the buyer gives up. */
async function untilLoaded(path: string, submits: boolean): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    document.documentElement.setAttribute("data-waiting", "");
    try {
      return await loadModules(missingModules(path));
    } catch {
      await replaceOldDocument(path, submits, attempt);
    } finally {
      document.documentElement.removeAttribute("data-waiting");
    }
    await promptRetry();
  }
}

/**
 * Where the shop answers and the code still does not come, a newer version of the shop has replaced it: only a new
 * document helps. A page can be opened as one; a form would lose what was typed, so the buyer is asked first.
 */
async function replaceOldDocument(path: string, submits: boolean, attempt: number): Promise<void> {
  if ((submits && attempt === 1) || !(await isShopReachable())) return;
  if (submits) window.location.reload();
  else window.location.assign(path);
  await new Promise(() => undefined);
}
