export const CHECK_CONNECTION = "Please check your internet connection.";

/** For a request that got no response. */
export const NETWORK_ERROR_MESSAGE = `Network error. ${CHECK_CONNECTION}`;

const REACHABLE_WITHIN_MS = 15_000;

/** Whether the shop responds at all. Never rejects. */
export function isShopReachable(): Promise<boolean> {
  return fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout(REACHABLE_WITHIN_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
