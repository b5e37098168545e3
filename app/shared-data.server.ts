import { readProfile } from "#core/accounts/profile.server.ts";
import { whySignedOut } from "#core/accounts/sessions.server.ts";
import { chatUrl } from "#core/catalog/limits.ts";
import { listEnglishNames, listLogos } from "#core/catalog/logos/tool-logos.server.ts";
import { listActiveTools } from "#core/catalog/on-sale.server.ts";
import { readStoreSettings, type StoreSettings } from "#core/catalog/store-settings.server.ts";
import type { Context } from "#core/context.ts";
import { listMyAccess } from "#core/passes/access.server.ts";
import { formatYear } from "#core/time.ts";
import { messageForCode } from "./errors/error-messages.ts";
import { supportInquiry } from "./storefront/chat-inquiry.ts";
import { distinctMonograms } from "./ui/logo-tile.tsx";
import { t } from "./ui/texts/texts.ts";

/** What every page needs. */
export interface SharedData {
  /** null for a visitor. */
  user: PageUser | null;
  /** What to tell a browser that was signed out because its account was disabled or deleted; otherwise null. */
  accountEnded: { message: string; isDisabled: boolean } | null;
  store: StoreSettings & { supportChatUrl: string | null };
  /** The names of uploaded logos, by the name of their tool in lower case. */
  logos: Readonly<Record<string, string>>;
  /** The English names of tools that have another name on the page, by that name in lower case. */
  englishNames: Readonly<Record<string, string>>;
  /** The letters of tools on sale whose names alone have the same ones as another, by the name in lower case. */
  monograms: Readonly<Record<string, string>>;
  /** The public origin of the shop, without a trailing slash. */
  origin: string;
  /** Whether a sign-in with Google is configured. */
  googleSignIn: boolean;
  /** Whether a mail server delivers the mail of the shop. */
  sendsMail: boolean;
  /** Whether payments go through the sandbox. */
  testPayments: boolean;
  /** The time of rendering, as an ISO string in UTC. */
  now: string;
  /** The year of `now` in the store's time zone. Formatting it in the browser delays the start of the page. */
  year: string;
  timeZone: string;
  requestId: string | null;
}

const describeEnd = (reason: "disabled" | "deleted") =>
  reason === "disabled" ? messageForCode("user-disabled") : t("Your account has been deleted.");

export async function readSharedData(ctx: Context, requestId: string | null): Promise<SharedData> {
  const [user, settings, logos, englishNames, onSale, reason] = await Promise.all([
    readUser(ctx),
    readStoreSettings(ctx),
    listLogos(ctx),
    listEnglishNames(ctx),
    listActiveTools(ctx),
    whySignedOut(ctx),
  ]);
  const now = ctx.clock.now();
  const [firstPhone] = settings.supportPhones;
  return {
    user,
    // Not in the browser: every page would load all messages for this one.
    accountEnded:
      reason === "disabled" || reason === "deleted"
        ? { message: describeEnd(reason), isDisabled: reason === "disabled" }
        : null,
    store: {
      ...settings,
      supportChatUrl: firstPhone ? chatUrl(firstPhone.number, supportInquiry(settings.name)) : null,
    },
    logos,
    englishNames,
    monograms: monogramsOnSale(onSale),
    origin: ctx.store.origin,
    googleSignIn: ctx.ports.identityProvider !== null,
    sendsMail: ctx.ports.mailTransport !== null,
    testPayments: ctx.ports.gateway?.testMode ?? false,
    now: now.toISOString(),
    year: formatYear(now, ctx.store.timeZone),
    timeZone: ctx.store.timeZone,
    requestId,
  };
}

/** By the slug, which never changes: a new tool takes no letters from an older one of the same first word. */
export const monogramsOnSale = (onSale: readonly { slug: string; name: string }[]) =>
  distinctMonograms(onSale.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)).map(({ name }) => name));

/** The person who reads a page, as far as every page shows it. */
interface PageUser {
  id: string;
  email: string;
  displayName: string;
  isAdmin: boolean;
}

const isSignedIn = ({ actor }: Context) => actor.kind === "user" || actor.kind === "admin";

/** null for a visitor. */
async function readUser(ctx: Context): Promise<PageUser | null> {
  if (!isSignedIn(ctx)) return null;
  const { id, email, displayName, role } = await readProfile(ctx);
  return { id, email, displayName, isAdmin: role === "admin" };
}

/** Until when the reader may open each tool, by its slug (UTC). Empty for a visitor. */
export async function readAccess(ctx: Context): Promise<ReadonlyMap<string, Date>> {
  return isSignedIn(ctx) ? listMyAccess(ctx) : new Map();
}
