import type { DataRouter, DataStrategyResult, MiddlewareFunction } from "react-router";
import { closeRetryPrompt, promptRetry } from "./retry-prompt.tsx";

const REDIRECT_DELAY_MS = 100;

type Results = Record<string, DataStrategyResult>;

/**
 * Keeps the page when the shop cannot be reached; without this, the router replaces it with the error page. Data that
 * cannot be loaded again stays as it is. For a navigation that fails, the buyer may try again. Any other error shows
 * the error page. A redirect of a page that is open waits for 100 ms, as the requirements say about the dashboard.
 */
export const keepPageOnLostConnection: MiddlewareFunction<Results> = async ({ request }, next) => {
  const results = await next();
  const router = window.__reactRouterDataRouter;
  if (!router || request.signal.aborted) return results;
  const { navigation, loaderData } = router.state;
  // The session of an open page has ended: the page leads home.
  if (navigation.state === "idle" && Object.values(results).some(isRedirect))
    await new Promise((resolve) => setTimeout(resolve, REDIRECT_DELAY_MS));
  if (!Object.values(results).some(isLostConnection)) {
    // The prompt is about a navigation. Data of the page that is loaded again meanwhile says nothing about that.
    if (navigation.state !== "idle") closeRetryPrompt();
    return results;
  }
  if (navigation.state === "idle") {
    return request.method === "GET" ? withKnownData(results, loaderData) : results;
  }
  // Trying again and giving up both start another navigation, which aborts this one.
  void promptRetry(() => stayOnPage(router)).then(() => retryNavigation(router));
  await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
  return results;
};

/**
 * The messages of `fetch` in Chromium, Firefox and Safari for a missing response. Defects in code are TypeErrors as
 * well.
 */
const NO_RESPONSE =
  /failed to fetch|networkerror when attempting to fetch|load failed|network connection was lost/i;

/** The error of an action is wrapped in `data`. */
function isLostConnection({ type, result }: DataStrategyResult): boolean {
  if (type !== "error") return false;
  const error: unknown =
    typeof result === "object" && result !== null && "data" in result ? result.data : result;
  return error instanceof TypeError && NO_RESPONSE.test(error.message);
}

const isRedirect = ({ result }: DataStrategyResult): boolean =>
  result instanceof Response && result.headers.has("location");

function withKnownData(results: Results, known: Readonly<Record<string, unknown>>): Results {
  return Object.fromEntries(
    Object.entries(results).map(([id, result]) => [
      id,
      isLostConnection(result) && id in known ? { type: "data", result: known[id] } : result,
    ]),
  );
}

/** Ends the current navigation on the page where it started, without loading anything. */
function stayOnPage(router: DataRouter): void {
  const { location, navigation } = router.state;
  // The page may have written its address itself, so that the router does not know it. The back button has written the
  // address that it leads to.
  const { pathname, search, hash } = window.location;
  const { location: target } = navigation;
  const isBackStep = target?.pathname === pathname && target.search === search;
  void router.navigate(isBackStep ? location : { pathname, search, hash }, {
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
