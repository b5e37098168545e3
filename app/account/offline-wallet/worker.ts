/**
 * The service worker of the shop, built into `/wallet-worker.js`. It shows the stored wallet when the dashboard cannot be loaded,
 * and stores nothing itself: docs/decisions/0009-pages.md.
 */
import { offlinePage } from "./offline-page.ts";
import { readStoredWallet } from "./stored-wallet.ts";
import { forgetWallets } from "./wallet-caches.ts";

/** What is used of the worker's scope. The compiler has the types of documents, which those of workers contradict. */
interface WorkerScope {
  registration: { navigationPreload?: { enable(): Promise<void> } };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install", listener: (event: InstallEvent) => void): void;
  addEventListener(type: "activate", listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchEvent) => void): void;
}

interface ExtendableEvent {
  waitUntil(work: Promise<unknown>): void;
}

interface InstallEvent extends ExtendableEvent {
  /** Of the Static Routing API: Chromium has it. */
  addRoutes?(routes: object[]): Promise<void>;
}

interface FetchEvent extends ExtendableEvent {
  request: Request;
  preloadResponse: Promise<Response | undefined>;
  respondWith(response: Promise<Response>): void;
}

declare const self: WorkerScope;

/** The statuses of a proxy whose shop does not respond, and of a shop whose database does not. */
const NOT_ANSWERING = new Set([502, 503, 504]);

self.addEventListener("install", (event) => {
  const files = ["cors", "no-cors", "same-origin"].map((requestMode) => ({
    condition: { requestMode },
    source: "network",
  }));
  // The files and the data of a page do not even start the worker.
  event.addRoutes?.(files).catch(() => undefined);
  event.waitUntil(self.skipWaiting());
});

self.addEventListener("activate", (event) => {
  // The request does not wait for the start of the worker.
  const { navigationPreload } = self.registration;
  if (navigationPreload) event.waitUntil(navigationPreload.enable());
});

self.addEventListener("fetch", (event) => {
  const { mode, method, url } = event.request;
  if (mode !== "navigate") return;
  const { pathname } = new URL(url);
  // The form of a page whose scripts have not run.
  if (method === "POST" && pathname === "/auth/sign-out") event.waitUntil(forgetWallets(null));
  if (method === "GET" && pathname === "/dashboard") event.respondWith(openDashboard(event));
});

/** The answer of the shop, or the stored wallet in its place. */
async function openDashboard({ request, preloadResponse }: FetchEvent): Promise<Response> {
  const response = await load(request, preloadResponse);
  // The dashboard redirects a browser that is not signed in.
  if (response?.type === "opaqueredirect") await forgetWallets(null);
  if (response !== null && !NOT_ANSWERING.has(response.status)) return response;
  const wallet = await readStoredWallet().catch(() => null);
  if (response !== null && wallet === null) return response;
  const { languages } = navigator;
  return offlinePage(wallet, { now: new Date(), isShopDown: response !== null, languages });
}

/** null without a connection. */
async function load(request: Request, preloaded: FetchEvent["preloadResponse"]): Promise<Response | null> {
  try {
    return (await preloaded) ?? (await fetch(request));
  } catch {
    return null;
  }
}
