import * as z from "zod/mini";
import { isShopReachable } from "../../ui/shop-connection.tsx";
import { t } from "../../ui/texts/texts.ts";
import {
  type Finding,
  judgeAddress,
  judgeClock,
  judgeConnection,
  judgeCookies,
  judgeProvider,
  judgeSession,
  judgeWindow,
  notAnswered,
  notChecked,
} from "./findings.ts";

/** The checks in the order in which they are shown, with their names. */
export const CHECKS = {
  connection: "Connection to the shop",
  address: "Web address",
  cookies: "Cookies",
  session: "Sign-in cookie",
  clock: "Date and time",
  window: "Pop-ups",
  provider: "Google",
} as const;

export type CheckName = keyof typeof CHECKS;

export type Report = (check: CheckName, finding: Finding) => void;

/**
 * Runs all checks and reports each result as soon as it is known. Call it in the handler of a click: the browser blocks a window
 * that is opened later.
 *
 * @param expectedOrigin the shop's own origin
 */
export async function runDiagnostics(expectedOrigin: string, report: Report): Promise<void> {
  report("window", judgeWindow(canOpenWindow()));
  const startedAt = performance.now();
  const reachable = navigator.onLine && (await isShopReachable());
  report("connection", judgeConnection(reachable ? performance.now() - startedAt : null, expectedOrigin));
  const needShop: CheckName[] = ["address", "cookies", "session", "clock", "provider"];
  if (!reachable) {
    for (const check of needShop) report(check, notChecked());
    return;
  }
  const failed = (checks: readonly CheckName[]) => () => {
    for (const check of checks) report(check, notAnswered());
  };
  await Promise.all([
    checkShop(expectedOrigin, report).catch(failed(["address", "cookies", "session", "clock"])),
    checkProvider(expectedOrigin, report).catch(failed(["provider"])),
  ]);
}

async function checkShop(expectedOrigin: string, report: Report): Promise<void> {
  const probe = randomProbe();
  const stored = storePageCookie(probe);
  const begun = await beginDiagnosis(probe);
  const sentAt = Date.now();
  const { now, origin, signedIn, sessionCookie } = await readConditions(probe);
  const expected = origin || expectedOrigin;
  const actual = window.location.origin;
  report("address", judgeAddress({ actual, expected, accepted: begun !== null }));
  // A refused form set no cookie: then the address is the cause, and the other two are not known.
  if (begun === null) {
    report("cookies", judgeCookies({ stored, sent: stored }));
    report("session", {
      ...notChecked(),
      text: t("Not checked, because this isn’t the shop’s own web address."),
    });
  } else {
    report("cookies", judgeCookies({ stored, sent: begun.pageCookie }));
    const needsHttps = expected.startsWith("https:") && window.location.protocol === "http:";
    report("session", judgeSession({ returned: sessionCookie, signedIn, needsHttps }));
  }
  report("clock", judgeClock((sentAt + Date.now()) / 2 - now.getTime()));
  storePageCookie(probe, 0);
}

async function checkProvider(origin: string, report: Report): Promise<void> {
  const provider = await readProvider();
  const facts =
    provider.state === "known"
      ? { state: provider.state, reached: await canReach(provider.url) }
      : { state: provider.state };
  report("provider", judgeProvider(facts, origin));
}

/** Opens a small window and closes it at once. */
function canOpenWindow(): boolean {
  const opened = window.open("about:blank", "daypass-window-check", "popup,width=120,height=120");
  if (opened === null || opened.closed) return false;
  opened.close();
  return true;
}

/** @returns whether the page can read it again */
function storePageCookie(value: string, maxAgeSeconds = 60): boolean {
  try {
    // The Cookie Store API exists with https only.
    // biome-ignore lint/suspicious/noDocumentCookie: see above
    document.cookie = `${PAGE_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax`;
    return document.cookie.includes(`${PAGE_COOKIE}=${value}`);
  } catch {
    return false;
  }
}

function randomProbe(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** The cookie that the page sets by itself. The shop says whether it arrived. */
export const PAGE_COOKIE = "daypass.cookie_check";

const REQUEST_TIMEOUT_MS = 15_000;
const PROVIDER_TIMEOUT_MS = 8_000;

const begunSchema = z.object({ pageCookie: z.boolean() });
const conditionsSchema = z.object({
  now: z.pipe(
    z.iso.datetime(),
    z.transform((text: string) => new Date(text)),
  ),
  origin: z.string(),
  signedIn: z.boolean(),
  sessionCookie: z.boolean(),
});
const providerSchema = z.object({
  provider: z.discriminatedUnion("state", [
    z.object({ state: z.literal("not-configured") }),
    z.object({ state: z.literal("unreachable") }),
    z.object({ state: z.literal("known"), url: z.string() }),
  ]),
});

/** POST auth/diagnostics: the shop sets a cookie like the session's. null: the shop refuses forms from this address. */
async function beginDiagnosis(probe: string): Promise<z.infer<typeof begunSchema> | null> {
  const response = await request("/auth/diagnostics", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ probe }),
  });
  return response.status === 403 ? null : begunSchema.parse(await response.json());
}

/** GET auth/diagnostics: whether that cookie came back, and the time of the shop. */
async function readConditions(probe: string): Promise<z.infer<typeof conditionsSchema>> {
  const response = await request(`/auth/diagnostics?${new URLSearchParams({ probe })}`, {});
  return conditionsSchema.parse(await response.json());
}

/** GET auth/diagnostics/provider: where the provider of identities can be reached. */
async function readProvider(): Promise<z.infer<typeof providerSchema>["provider"]> {
  const response = await request("/auth/diagnostics/provider", {});
  return providerSchema.parse(await response.json()).provider;
}

/** Whether this browser gets any answer from the address. Never rejects. What the answer says cannot be read. */
async function canReach(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
  return fetch(url, { method: "HEAD", mode: "no-cors", credentials: "omit", cache: "no-store", signal }).then(
    () => true,
    () => false,
  );
}

function request(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, { ...init, cache: "no-store", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
}
