import { Suspense, useEffect, useState } from "react";
import { Link, useLocation } from "react-router";
import { chatUrl, DEALS_CHANNEL } from "#core/catalog/limits.ts";
import type { Seller, StorePage } from "#core/catalog/store-settings.server.ts";
import { LANGUAGE_CODES, LANGUAGES } from "#languages/languages.ts";
import { SoundSwitch } from "../sounds/sound-switch.tsx";
import { currentLanguage, type Message, t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { supportInquiry } from "./chat-inquiry.ts";
import { withoutLinkParams } from "./link-params.ts";

const LINK = "inline-flex min-h-11 items-center text-muted hover:text-ink sm:min-h-8";

interface SiteFooterProps {
  /** Whether the page repeats the query of its address, which the language switch leads back to. */
  repeatsQuery?: boolean;
}

/** The footer of a page: contact links and the copyright note. */
export function SiteFooter({ repeatsQuery = true }: SiteFooterProps) {
  const { store, year } = useShared();
  return (
    <footer className="border-line border-t">
      <Suspense>
        <div className="mx-auto flex max-w-page flex-col gap-4 px-4 pt-6 pb-24 sm:px-6 sm:pb-10">
          <nav aria-label={t("Footer")} className="flex flex-wrap gap-x-6 gap-y-2">
            {store.pages.map((page) => (
              <Link key={page} to={`/${page}`} className={LINK}>
                {t(PAGE_TITLES[page])}
              </Link>
            ))}
            {store.hasGiveaway ? (
              <Link to="/giveaway" className={LINK}>
                {t("Daily giveaway")}
              </Link>
            ) : null}
            {store.supportPhones.map(({ label, hasOwnLabel, number }, at) => (
              <a
                key={number}
                href={chatUrl(number, supportInquiry(store.name))}
                target="_blank"
                rel="noreferrer"
                className={LINK}
              >
                {hasOwnLabel ? label : t("Support chat {number}", { number: at + 1 })}
              </a>
            ))}
            {store.dealsChannel ? (
              <a href={store.dealsChannel.url} target="_blank" rel="noreferrer" className={LINK}>
                {dealsChannelLabel(store.dealsChannel.label)}
              </a>
            ) : null}
          </nav>
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
            <p className="wrap-anywhere max-w-prose text-muted text-xs">
              {`© ${year} ${store.name}. ${store.seller ? `${describeSeller(store.seller)} ` : ""}${t("Names and marks of the tools belong to their owners.")}`}
            </p>
            <div className="flex flex-wrap items-center gap-x-6">
              <LanguageSwitch repeatsQuery={repeatsQuery} />
              <SoundSwitch />
            </div>
          </div>
        </div>
      </Suspense>
    </footer>
  );
}

/** The owner's own label stays as it is. */
export function dealsChannelLabel(label: string): string {
  return label === DEALS_CHANNEL ? t(DEALS_CHANNEL) : label;
}

/** Loads the page again in another language, whose name is in that language. A plain form works without scripts. */
function LanguageSwitch({ repeatsQuery }: Required<SiteFooterProps>) {
  const { pathname, search } = useLocation();
  // The server may not know the parameters of the link.
  const [query, setQuery] = useState(withoutLinkParams(search));
  useEffect(() => setQuery(search), [search]);
  return (
    <form method="post" action="/language" className="flex flex-wrap gap-x-6">
      <input type="hidden" name="returnTo" value={repeatsQuery ? pathname + query : pathname} />
      {LANGUAGE_CODES.filter((language) => language !== currentLanguage()).map((language) => (
        <button
          key={language}
          type="submit"
          name="language"
          value={language}
          lang={LANGUAGES[language].tag}
          className="inline-flex min-h-11 items-center text-muted text-sm hover:text-ink sm:min-h-8"
        >
          {LANGUAGES[language].name}
        </button>
      ))}
    </form>
  );
}

/** Who sells, in one line: "Sold by Asha Digital, Pune, since 2021. GSTIN 27ABCDE1234F1Z5." */
export function describeSeller({ name, city, since, gstin }: Seller): string {
  const seller = city === undefined ? name : `${name}, ${city}`;
  const text =
    since === undefined
      ? t("Sold by {seller}.", { seller })
      : t("Sold by {seller}, since {year}.", { seller, year: since });
  return gstin === undefined ? text : `${text} ${t("GSTIN {gstin}.", { gstin })}`;
}

/** The titles of the pages with the owner's own texts, by their address. */
export const PAGE_TITLES = {
  terms: "Terms",
  refunds: "Refunds",
  privacy: "Privacy Policy",
  contact: "Contact",
} as const satisfies Record<StorePage, Message>;

export function isStorePage(name: string): name is StorePage {
  return Object.hasOwn(PAGE_TITLES, name);
}
