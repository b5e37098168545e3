import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { type CatalogueCard, listToolsToRead } from "#core/catalog/on-sale.server.ts";
import type { Seller, StoreSettings } from "#core/catalog/store-settings.server.ts";
import { pendingClaim, pendingPage, pendingTool } from "../auth/pending-choice.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { takeWantedPage, type WantedPage } from "../auth/wanted-page.ts";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { GiveawayPopup } from "../giveaway/giveaway-popup.tsx";
import { useLive } from "../live/use-live.ts";
import { shopContext } from "../request/request-context.ts";
import { readAccess } from "../shared-data.server.ts";
import { pagePath } from "../tools/page-path.ts";
import { Card } from "../ui/card.tsx";
import { buttonClasses } from "../ui/class-names.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { useBackStep } from "../ui/dialogs/use-back-step.ts";
import { type Elements, t, translate } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import type { Route } from "./+types/home";
import { shortenTexts } from "./catalogue/card-texts.ts";
import { readCatalogueParams } from "./catalogue/catalogue-params.ts";
import { readMoreTexts } from "./catalogue/more-texts.server.ts";
import { packTools, unpackTools } from "./catalogue/packed-tools.ts";
import { PopularTools } from "./catalogue/popular-tools.tsx";
import { ToolCatalogue } from "./catalogue/tool-catalogue.tsx";
import { useChooseTool } from "./catalogue/use-choose-tool.ts";
import { FloatingChat } from "./floating-chat.tsx";
import { Hero } from "./hero.tsx";
import { Icon, MEGAPHONE, PLAY } from "./icons.tsx";
import { AlertLink } from "./offer/tool-button.tsx";
import { pageMeta } from "./seo/page-meta.ts";
import { dealsChannelLabel, describeSeller, SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";

export async function loader({ context, url }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [tools, accessUntil] = await Promise.all([listToolsToRead(ctx), readAccess(ctx)]);
  // A page for a search shows its results at once.
  const isSearch = readCatalogueParams(url.search).query !== "";
  const moreTexts = isSearch ? (await readMoreTexts(ctx)).texts : null;
  return { packed: packTools(tools.map(shortenTexts)), moreTexts, accessUntil };
}

export const meta: Route.MetaFunction = ({ matches }) => {
  const shared = matches[1].loaderData;
  if (!shared) return [];
  return pageMeta(shared, {
    title: t("{shop} · Premium tools, for just the days you need", { shop: shared.store.name }),
    description: t(
      "Buy a pass for a premium tool for a week, a month or longer. Pay by UPI and open it right away.",
    ),
    path: "/",
  });
};

export default function Home({ loaderData: { packed, moreTexts, accessUntil } }: Route.ComponentProps) {
  const tools = useMemo(() => unpackTools(packed), [packed]);
  const { store } = useShared();
  const { soldOut, onSoldOut } = useSoldOutChoice(tools, accessUntil);
  const chooseTool = useChooseTool(tools, null, onSoldOut);
  useLive(["stock"]);
  const popular = tools
    .filter(({ popularPlace }) => popularPlace !== null)
    .toSorted((one, other) => (one.popularPlace ?? 0) - (other.popularPlace ?? 0));
  // Without several popular tools the catalogue has the first prices.
  const hasPopular = popular.length > 1;
  const howItWorks = <HowItWorks videoUrl={store.demoVideoUrl} seller={store.seller} />;
  return (
    <>
      <SiteHeader scrollsAwayOnPhones hasSearch={tools.length > 0} />
      <main id="content" tabIndex={-1} className="mx-auto flex max-w-page flex-col px-4 outline-none sm:px-6">
        <div role="status">
          <WantedPageNotice tools={tools} />
          {soldOut ? <SoldOut tool={soldOut} /> : null}
        </div>
        <Hero sample={popular[0] ?? tools.at(-1)} />
        {hasPopular ? (
          <>
            <PopularTools tools={popular} accessUntil={accessUntil} onChoose={chooseTool} />
            {howItWorks}
          </>
        ) : null}
        <ToolCatalogue tools={tools} moreTexts={moreTexts} accessUntil={accessUntil} onChoose={chooseTool} />
        {hasPopular ? null : howItWorks}
        <div className="flex flex-col gap-10 py-12 sm:py-16">
          <Suspense>
            {store.dealsChannel ? <ChannelPromo channel={store.dealsChannel} /> : null}
            <About {...store} />
          </Suspense>
        </div>
      </main>
      <SiteFooter />
      {store.supportChatUrl ? <FloatingChat url={store.supportChatUrl} /> : null}
      <GiveawayPopup />
    </>
  );
}

/**
 * The sold-out tool that Renew Access was pressed for. If its pass still runs, the purchase dialog opens instead and explains it,
 * because a stock alert is only for people without a pass.
 */
function useSoldOutChoice(tools: readonly CatalogueCard[], accessUntil: ReadonlyMap<string, Date>) {
  const { openPurchase } = usePurchase();
  const [slug, setSlug] = useState<string | null>(null);
  const onSoldOut = useCallback(
    (tool: CatalogueCard, renews?: true) => {
      if (!accessUntil.has(tool.slug)) return setSlug(tool.slug);
      openPurchase({
        slug: tool.slug,
        name: tool.name,
        price: tool.pricePaise / 100,
        ...(renews && { renews }),
      });
    },
    [accessUntil, openPurchase],
  );
  const soldOut = tools.find((tool) => tool.slug === slug && tool.availableStock <= 0);
  return { soldOut, onSoldOut };
}

function SoldOut({ tool: { slug, name } }: { tool: CatalogueCard }) {
  return (
    <Notice text={t("{tool} is sold out right now.", { tool: name })}>
      <AlertLink slug={slug} className={NOTICE_LINK} />
    </Notice>
  );
}

/** Offers a visitor who was redirected from a page that needs an account to sign in and to continue there. */
function WantedPageNotice({ tools }: { tools: readonly CatalogueCard[] }) {
  const { user } = useShared();
  const { openSignIn, isOpen } = useSignIn();
  const navigate = useNavigate();
  const [wanted, setWanted] = useState<WantedPage | null>(null);
  const path = wanted?.path ?? null;
  const isVisitor = user === null;
  useEffect(() => {
    const taken = takeWantedPage();
    if (taken !== null) setWanted(taken);
  }, []);
  useEffect(() => {
    if (isVisitor) return;
    setWanted(null);
    const pending = pendingPage.read();
    pendingPage.forget();
    if (pending !== null) void navigate(pending.id);
  }, [isVisitor, navigate]);
  // Whichever button opens the sign-in dialog, unless the visitor signs in for something else. Closing it gives the page up.
  const wasSigningIn = useRef(false);
  useEffect(() => {
    const isForSomethingElse = pendingTool.read() !== null || pendingClaim.read() !== null;
    if (isOpen && isVisitor && path !== null && !isForSomethingElse) pendingPage.remember(path);
    if (wasSigningIn.current && !isOpen && isVisitor) pendingPage.forget();
    wasSigningIn.current = isOpen;
  }, [isOpen, isVisitor, path]);
  if (wanted === null || !isVisitor) return null;
  const signIn = () => {
    pendingTool.forget();
    openSignIn();
  };
  return (
    <Notice text={askToSignIn(wanted, tools)}>
      <button type="button" onClick={signIn} className={NOTICE_LINK}>
        {t("Sign in")}
      </button>
    </Notice>
  );
}

function askToSignIn({ path, sessionEnded }: WantedPage, tools: readonly CatalogueCard[]): string {
  if (sessionEnded)
    return `${t("You’ve been signed out.")} ${askToSignIn({ path, sessionEnded: false }, tools)}`;
  const tool = tools.find(({ slug }) => pagePath(slug) === path);
  if (tool) return t("Please sign in to open {tool}.", { tool: tool.name });
  return path === "/dashboard"
    ? t("Please sign in to see your passes.")
    : t("Please sign in to open that page.");
}

const NOTICE_LINK = "inline-flex min-h-11 items-center rounded-sm font-semibold underline underline-offset-4";

/** One sentence above the page, and what can be done about it. */
function Notice({ text, children }: { text: string; children: Elements }) {
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-1 rounded-control border border-warning/60 bg-warning/15 px-4 py-1.5">
      <p className="wrap-anywhere py-1.5 font-medium">{text}</p>
      {children}
    </div>
  );
}

/** A link to the deals channel. */
function ChannelPromo({ channel }: { channel: { label: string; url: string } }) {
  return (
    <Card className="flex flex-col gap-4 p-5 sm:flex-row sm:items-center">
      <span className="inline-flex size-11 shrink-0 items-center justify-center rounded-control border border-line text-accent">
        <Icon shape={MEGAPHONE} className="size-5" />
      </span>
      <div className="flex-1">
        <h2 className="text-base">{t("New deals, first in our channel")}</h2>
        <p className="text-muted">
          {t("Price drops and fresh stock are announced there before they show here.")}
        </p>
      </div>
      <a href={channel.url} target="_blank" rel="noreferrer" className={buttonClasses({})}>
        {dealsChannelLabel(channel.label)}
      </a>
    </Card>
  );
}

const STEPS = [
  { title: "Choose your days", text: "A tool, and a pass for a week, a month or longer." },
  { title: "Pay once", text: "By UPI or card. Nothing renews by itself." },
  { title: "Open it at once", text: "With a code on your phone, or with our extension on a computer." },
] as const;

/** The three steps from a tool to its pass, who sells, and the demo video, if any. */
function HowItWorks({ videoUrl, seller }: { videoUrl: string | null; seller: Seller | null }) {
  return (
    <section aria-labelledby="how-title" className="mt-5 border-line border-y py-4 sm:mt-8 sm:py-6">
      <h2 id="how-title" className="text-base">
        {t("How it works")}
      </h2>
      <ol className="mt-2 grid gap-x-8 gap-y-2 sm:mt-3 sm:grid-cols-3">
        {STEPS.map(({ title, text }, at) => (
          <li key={title} className="flex gap-3">
            <span
              aria-hidden="true"
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-card font-semibold text-xs tabular-nums"
            >
              {at + 1}
            </span>
            <p className="text-muted text-xs leading-6 sm:text-sm">
              <span className="font-medium text-ink">{t(title)}</span>
              <span aria-hidden="true" className="sm:hidden">
                {" · "}
              </span>
              <span className="sm:block">{t(text)}</span>
            </p>
          </li>
        ))}
      </ol>
      {videoUrl ? (
        <section aria-labelledby="video-title" className="mt-2 flex flex-wrap items-center gap-x-4 sm:mt-3">
          <h2 id="video-title" className="text-base">
            {t("Demo video")}
          </h2>
          <DemoVideo url={videoUrl} />
        </section>
      ) : null}
      <p className="wrap-anywhere mt-3 text-muted text-xs sm:text-sm">
        {`${seller ? `${describeSeller(seller)} ` : ""}${t("If you pay and we can’t give you the pass, we refund the account or card you paid with.")}`}
      </p>
    </section>
  );
}

/** How the shop works, with the claims that its owner has set. */
function About({ name, claims, claimsAreExamples }: StoreSettings) {
  return (
    <section
      aria-labelledby="about-title"
      className="grid gap-8 border-line border-t pt-10 lg:grid-cols-2 lg:gap-16"
    >
      <div>
        <h2 id="about-title" className="text-lg">
          {t("About {name}", { name })}
        </h2>
        <p className="mt-3 max-w-prose text-base text-muted">
          {t(
            "A pass opens one tool for a fixed number of days. You pay once, the pass is on your dashboard right away, and it ends on its own.",
          )}
        </p>
      </div>
      {claims.length > 0 ? (
        <div>
          <dl className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,8rem),1fr))] content-start gap-x-6 gap-y-5 sm:grid-cols-3">
            {claims.map(({ value, label }) => (
              <div key={label} className="flex flex-col-reverse border-marigold border-l-2 pl-4">
                <dt className="text-muted">{claimsAreExamples ? translate(label) : label}</dt>
                <dd className="font-semibold text-lg tabular-nums tracking-tight">{value}</dd>
              </div>
            ))}
          </dl>
          {claimsAreExamples ? (
            <p className="mt-4 text-muted text-xs">{t("Example figures of the demo shop.")}</p>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

const loadOverlay = () => import("./video-overlay.tsx").then(({ VideoOverlay }) => VideoOverlay);

const VIDEO_BUTTON = "inline-flex min-h-11 items-center gap-2 font-semibold text-accent text-sm";

/** Opens the demo video over the whole screen. Nothing is loaded from its host before that. */
function DemoVideo({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const [needed, setNeeded] = useState(false);
  useBackStep(open ? "open" : "closed", () => setOpen(false));
  const label = (
    <>
      <Icon shape={PLAY} className="size-4 fill-current" />
      <span>{t("Watch the demo video")}</span>
    </>
  );
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setNeeded(true);
          setOpen(true);
        }}
        className={VIDEO_BUTTON}
      >
        {label}
      </button>
      <noscript>
        <a href={url} className={VIDEO_BUTTON}>
          {label}
        </a>
      </noscript>
      {needed ? (
        <LazyDialog
          load={loadOverlay}
          props={{ url, open, onOpenChange: setOpen }}
          open={open}
          onGiveUp={() => {
            setNeeded(false);
            setOpen(false);
          }}
        />
      ) : null}
    </>
  );
}
