import { formatDateTime, hasNoEnd } from "#core/time.ts";
import { timeLeftText } from "../../time-texts.ts";
import { lookOfTile, monogramOf } from "../../ui/logo-tile.tsx";
import {
  addCatalogue,
  currentLanguage,
  followLanguage,
  isLanguage,
  LANGUAGE_TAGS,
  type Message,
  splitMessage,
  t,
  translate,
} from "../../ui/texts/texts.ts";
import styles from "./offline-page.css?inline";
import { OFFLINE_TEXTS, type StoredPass, type StoredWallet } from "./stored-wallet.ts";

interface Occasion {
  /** What the clock of the device shows. */
  now: Date;
  /** The shop was reached, and does not work. Otherwise there is no connection. */
  isShopDown: boolean;
  /** What the browser asks for, the preferred one first. */
  languages: readonly string[];
}

/** Says what is to do when no passes are stored, such as after a sign-out. */
const SIGN_IN = "Connect to the internet, then sign in to see your passes." satisfies Message;

/** The texts of the page without passes, which come from no stored list. The same as in the catalogue (`offline-page.test.ts`). */
export const HINDI_WITHOUT_WALLET = {
  [OFFLINE_TEXTS.offline]: "आप ऑफ़लाइन हैं",
  [SIGN_IN]: "अपने सभी पास देखने के लिए इंटरनेट चालू करें, फिर साइन इन करें।",
  [OFFLINE_TEXTS.tryAgain]: "फिर कोशिश करें",
};

/** The page in place of the dashboard. Its only link loads the dashboard again; it has no scripts. */
export function offlinePage(wallet: StoredWallet | null, occasion: Occasion): Response {
  const preferred = occasion.languages.map((tag) => tag.split("-")[0]).find(isLanguage);
  const language = wallet?.language ?? preferred ?? "en";
  // The worker has no catalogue: the texts were stored with the passes.
  addCatalogue(language, wallet?.texts ?? (language === "hi" ? HINDI_WITHOUT_WALLET : {}));
  followLanguage(() => language);
  const nonce = crypto.randomUUID();
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    "cache-control": "no-store",
  };
  return new Response(documentOf(wallet, occasion, nonce), { headers });
}

function documentOf(wallet: StoredWallet | null, { now, isShopDown }: Occasion, nonce: string): string {
  const title = t(isShopDown ? OFFLINE_TEXTS.shopDown : OFFLINE_TEXTS.offline);
  const shopName = wallet?.shopName ?? "";
  return `<!doctype html>
<html lang="${LANGUAGE_TAGS[currentLanguage()]}" data-accent="${escapeHtml(wallet?.accent ?? "marigold")}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" content="#faf9f6" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1115" media="(prefers-color-scheme: dark)">
<title>${escapeHtml([title, shopName].filter(Boolean).join(" · "))}</title>
<style nonce="${nonce}">${styles}</style>
</head>
<body>
<header class="border-line border-b">
<div class="mx-auto flex min-h-16 max-w-page items-center gap-2.5 px-4 py-2 font-semibold text-base tracking-tight sm:px-6">
<svg viewBox="0 0 32 32" class="size-8 shrink-0" aria-hidden="true"><path class="fill-strong" d="M6 5h20a3 3 0 0 1 3 3v5a3 3 0 0 0 0 6v5a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3v-5a3 3 0 0 0 0-6V8a3 3 0 0 1 3-3Z"/><path class="stroke-marigold dark:stroke-on-strong" stroke-width="3" stroke-linecap="round" d="M10 16h7"/><path class="stroke-on-strong/35" stroke-width="3" stroke-linecap="round" d="M21.5 16h.01"/></svg>
${escapeHtml(shopName)}
</div>
</header>
<main class="mx-auto flex max-w-page flex-col gap-6 px-4 py-4 sm:gap-8 sm:px-6 sm:py-12">
<section class="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-ticket border border-warning/60 bg-warning/15 px-4 py-3 sm:p-5">
<div class="min-w-0 flex-[1_1_16rem]">
<h1 class="text-lg">${escapeHtml(title)}</h1>
<p class="mt-1">${escapeHtml(describe(wallet, isShopDown))}</p>
</div>
<a href="/dashboard" class="inline-flex min-h-11 select-none items-center justify-center rounded-control bg-strong px-4 py-2 text-center font-semibold text-on-strong text-sm hover:bg-strong-hover max-sm:w-full">${escapeHtml(t(OFFLINE_TEXTS.tryAgain))}</a>
</section>
${wallet === null || wallet.passes.length === 0 ? "" : listOf(wallet, now)}
</main>
</body>
</html>`;
}

function describe(wallet: StoredWallet | null, isShopDown: boolean): string {
  if (wallet === null) return t(SIGN_IN);
  // The date and the time stay on one line.
  const time = formatDateTime(new Date(wallet.shownAt), wallet.timeZone).replace(" ", "\u00a0");
  if (wallet.passes.length === 0) return t(OFFLINE_TEXTS.noPass, { time });
  const openLater = t(isShopDown ? OFFLINE_TEXTS.openOnceShopResponds : OFFLINE_TEXTS.openLater);
  const asOf = t(OFFLINE_TEXTS.asOf, { time });
  return `${asOf} ${openLater}`;
}

function listOf({ passes, timeZone, shownAt }: StoredWallet, deviceTime: Date): string {
  // A clock that was set back makes no pass longer.
  const now = new Date(Math.max(deviceTime.getTime(), shownAt));
  const running = passes.filter(({ endsAt }) => endsAt > now.getTime());
  const ended = passes.filter(({ endsAt }) => endsAt <= now.getTime());
  const tickets = [...running, ...ended].map((pass) => ticketOf(pass, now, timeZone));
  return `<section aria-labelledby="my-tools" class="flex flex-col gap-3 sm:gap-5">
<h2 id="my-tools" class="text-xl">${escapeHtml(t(OFFLINE_TEXTS.passes))}</h2>
<ul class="grid gap-3 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3">${tickets.join("")}</ul>
</section>`;
}

const BADGE =
  "wrap-normal inline-flex max-w-full shrink-0 items-center rounded-full border px-2 py-px font-medium text-xs";
const GREEN = "border-green/30 bg-green/10 text-green";
const NEUTRAL = "border-line text-muted";
const TILE_COLOURS = { solid: "logo-tile-solid", pale: "logo-tile" };
const MOTIFS = ["tile-motif-0", "tile-motif-1", "tile-motif-2", "tile-motif-3"];

/** The ticket of `app/account/pass-ticket.tsx` without its actions. */
function ticketOf(pass: StoredPass, now: Date, timeZone: string): string {
  const [startsAt, endsAt] = [new Date(pass.startsAt), new Date(pass.endsAt)];
  const hasEnded = endsAt <= now;
  const waits = startsAt > now;
  const badge = t(
    hasEnded ? OFFLINE_TEXTS.expired : waits ? OFFLINE_TEXTS.startsLater : OFFLINE_TEXTS.active,
  );
  const { hue, isSolid, motif } = lookOfTile(pass.toolName);
  const tile = `${isSolid ? TILE_COLOURS.solid : TILE_COLOURS.pale} ${MOTIFS[motif]}`;
  const withTime = (message: Message, at: Date) =>
    splitMessage(translate(message))
      .map((part) => (typeof part === "string" ? escapeHtml(part) : timeOf(at, timeZone)))
      .join("");
  const left = `<span class="whitespace-nowrap font-medium text-ink tabular-nums">${escapeHtml(t(OFFLINE_TEXTS.left, { time: timeLeftText(endsAt, now) }))}</span>`;
  return `<li class="flex flex-col rounded-ticket border border-line ${hasEnded ? "" : "bg-card"}">
<div class="flex flex-wrap items-center gap-3 px-4 py-3 sm:p-5">
<span aria-hidden="true" style="--tile-hue:${hue}" class="${tile} ${hasEnded ? "grayscale" : ""} @container inline-flex size-10 shrink-0 items-center justify-center rounded-control font-semibold text-lg tracking-tight sm:size-11"><span class="text-[min(1em,50cqi)] leading-none">${escapeHtml(monogramOf(pass.toolName))}</span></span>
<h3 class="wrap-anywhere min-w-0 grow basis-[9rem] text-base leading-snug ${hasEnded ? "text-muted" : ""}">${escapeHtml(pass.toolName)}</h3>
<span class="${BADGE} ${hasEnded || waits ? NEUTRAL : GREEN}">${escapeHtml(badge)}</span>
</div>
<div class="perforation flex flex-1 flex-col gap-2.5 px-4 py-3 sm:gap-4 sm:p-5">
${hasEnded ? "" : timeBarOf(pass, now)}
<div class="flex flex-col gap-0.5 text-muted sm:gap-1">
${waits && !hasEnded ? `<p>${withTime(OFFLINE_TEXTS.starts, startsAt)}</p>` : ""}
<p>${hasNoEnd(endsAt) ? escapeHtml(t(OFFLINE_TEXTS.noEnd)) : `${withTime(hasEnded ? OFFLINE_TEXTS.ended : OFFLINE_TEXTS.ends, endsAt)}${hasEnded || waits ? "" : ` <span aria-hidden="true">·</span> ${left}`}`}</p>
<p class="text-xs">${escapeHtml(t(OFFLINE_TEXTS.orderNumber))} <code class="font-mono text-ink">${escapeHtml(pass.orderNumber)}</code></p>
</div>
</div>
</li>`;
}

function timeOf(at: Date, timeZone: string): string {
  return `<time datetime="${at.toISOString()}" class="whitespace-nowrap tabular-nums">${formatDateTime(at, timeZone)}</time>`;
}

function timeBarOf({ startsAt, endsAt }: StoredPass, now: Date): string {
  const share = (endsAt - now.getTime()) / Math.max(1, endsAt - startsAt);
  const width = (Math.min(1, Math.max(0, share)) * 100).toFixed(1);
  return `<div aria-hidden="true" class="h-1.5 overflow-hidden rounded-full bg-line"><div class="h-full rounded-full bg-marigold" style="width:${width}%"></div></div>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
