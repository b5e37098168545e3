import type { ClientInstrumentation } from "react-router";
import { findPressedControl, showPressed } from "../ui/button.tsx";
import { isShopReachable } from "../ui/shop-connection.tsx";
import { closeRetryPrompt, promptRetry } from "./retry-prompt.tsx";
import { findMissingModules, loadModules } from "./route-modules.ts";

/**
 * Loads the code of a route before the router starts a navigation or a submission to it. Without this, the router
 * reloads the document when the code cannot be loaded. Without a connection, the browser's error page would then
 * replace the shop and everything that was typed. The pressed link or button shows that its page is coming; a form has
 * buttons that show it themselves.
 */
export const loadCodeBeforeNavigation: ClientInstrumentation = {
  router({ instrument }) {
    instrument({
      async navigate(callRouter, { to, formMethod }) {
        // `to` is a number for a step in the history.
        const submits = formMethod !== undefined;
        const pressed = submits ? null : findPressedControl();
        if (typeof to === "string" && lacksCode(to)) await loadCode(to, submits, pressed);
        const showReady = showPressed(pressed);
        await callRouter().finally(showReady);
      },
      async fetch(callRouter, { href, formMethod }) {
        if (lacksCode(href)) await loadCode(href, formMethod !== undefined, null);
        await callRouter();
      },
    });
  },
};

function lacksCode(path: string): boolean {
  return findMissingModules(path).length > 0;
}

/** Tries until the code is loaded. Never resolves when the buyer gives up. */
async function loadCode(path: string, submits: boolean, pressed: Element | null): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const showReady = showPressed(pressed);
    document.documentElement.setAttribute("data-waiting", "");
    try {
      await loadModules(findMissingModules(path));
      // A submission in a dialog is no navigation, which would close it.
      if (attempt > 1) closeRetryPrompt();
      return;
    } catch {
      await replaceOutdatedDocument(path, submits, attempt);
    } finally {
      document.documentElement.removeAttribute("data-waiting");
      showReady();
    }
    await promptRetry();
  }
}

/**
 * When the shop responds and the code cannot be loaded, a newer version of the shop has replaced it, and only a new
 * document helps. A navigation gets one at once. A submission would lose what was typed, so the buyer is asked first.
 */
async function replaceOutdatedDocument(path: string, submits: boolean, attempt: number): Promise<void> {
  if ((submits && attempt === 1) || !(await isShopReachable())) return;
  if (submits) window.location.reload();
  else window.location.assign(path);
  await new Promise(() => undefined);
}
