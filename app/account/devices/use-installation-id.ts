import { useSyncExternalStore } from "react";
import { INSTALLATION_KEY } from "#contracts/page-messages.ts";

/**
 * The id of the extension's installation in this browser; null on the server, and before the extension has redeemed a code
 * here.
 */
export function useInstallationId(): string | null {
  return useSyncExternalStore(subscribe, readInstallationId, () => null);
}

/** Another tab may have redeemed the first code. */
function subscribe(onChange: () => void): () => void {
  window.addEventListener("storage", onChange);
  return () => window.removeEventListener("storage", onChange);
}

function readInstallationId(): string | null {
  try {
    return localStorage.getItem(INSTALLATION_KEY);
  } catch {
    // Without storage nothing was stored.
    return null;
  }
}
