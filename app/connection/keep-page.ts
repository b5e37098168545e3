import type { DataRouter, DataStrategyResult, MiddlewareFunction } from "react-router";
import { closeRetryPrompt, promptRetry } from "./try-again.ts";

type Results = Record<string, DataStrategyResult>;

/**
 * Keeps the page when the shop cannot be reached. Without this, the router replaces it with the error page: data that
 * could not be loaded again stays as it was, and a page that could not be opened is asked for again, if the buyer wants.
 * Any other error goes to the error page.
 */
export const keepPage: MiddlewareFunction<Results> = async ({ request }, next) => {
  const results = await next();
  const router = window.__reactRouterDataRouter;
  if (!router || request.signal.aborted) return results;
  if (!Object.values(results).some(isLostConnection)) {
    closeRetryPrompt();
    return results;
  }
  const { navigation, loaderData } = router.state;
  if (navigation.state === "idle") {
    return request.method === "GET" ? withKnownData(results, loaderData) : results;
  }
  // Both ways on begin another navigation, which ends this one.
  void promptRetry(() => stay(router)).then(() => retryNavigation(router));
  await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
  return results;
};

/** What `fetch` throws in Chromium, Firefox and Safari when nothing answered. A fault in the code is a TypeError as well. */
const NO_ANSWER =
  /failed to fetch|networkerror when attempting to fetch|load failed|network connection was lost/i;

/** An action's error comes wrapped. */
function isLostConnection({ type, result }: DataStrategyResult): boolean {
  if (type !== "error") return false;
  const error: unknown =
    typeof result === "object" && result !== null && "data" in result ? result.data : result;
  return error instanceof TypeError && NO_ANSWER.test(error.message);
}

function withKnownData(results: Results, known: Readonly<Record<string, unknown>>): Results {
  return Object.fromEntries(
    Object.entries(results).map(([id, result]) => [
      id,
      isLostConnection(result) && id in known ? { type: "data", result: known[id] } : result,
    ]),
  );
}

/** Ends the navigation under way where it began. Nothing is loaded for that. */
function stay(router: DataRouter): void {
  const { location } = router.state;
  void router.navigate(location, {
    replace: true,
    state: location.state,
    preventScrollReset: true,
    defaultShouldRevalidate: false,
  });
}

function retryNavigation(router: DataRouter): void {
  const { navigation } = router.state;
  if (navigation.state === "submitting") {
    const { formAction, formEncType, formData = new FormData() } = navigation;
    void router.navigate(formAction, { formMethod: "post", formEncType, formData });
  } else void router.revalidate();
}
