import ExternalLink from "lucide-react/icons/external-link";
import Ticket from "lucide-react/icons/ticket";
import { useEffect, useState, useSyncExternalStore } from "react";
import { Link, useLocation, useNavigate, useRevalidator } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import { hasNoEnd } from "#core/time.ts";
import { hasLaunchAddress, type StepsOfUse } from "#core/tool-pages/rules.ts";
import { ThenUntil } from "../account/pass-ticket.tsx";
import { orderPath } from "../account/purchase-words.ts";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { messageForCode } from "../errors/error-messages.ts";
import { useLive } from "../live/use-live.ts";
import type { SharedData } from "../shared-data.server.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { ToolLogo, useEnglishName } from "../storefront/tool-logo.tsx";
import { DateOnly, DateTime } from "../time/date-time.tsx";
import { timeLeftText } from "../time/time-texts.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/card.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { canShare, share } from "../ui/optional-interfaces.ts";
import { LiveRegion, OrderNumberText } from "../ui/text.tsx";
import { langOf, t, tNodes } from "../ui/texts/texts.ts";
import { TimeBar, TimeLeft, useNow } from "../ui/time.tsx";
import { useCopy } from "../ui/use-copy.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useShared } from "../use-shared.ts";
import { ComputerOnly, useIsHandheld } from "./extension/computer-only.tsx";
import { useExtensionPresence } from "./extension/extension-presence.ts";
import { pagePath, SHOW_CODE } from "./page-path.ts";
import { PasswordPrompt } from "./password-prompt.tsx";
import { ServerList } from "./servers/server-list.tsx";
import type { Server } from "./servers/use-server-code.ts";
import { ToolCredentials } from "./tool-credentials.tsx";

interface GrantedPage {
  access: "granted";
  tool: {
    name: string;
    description: string;
    worksOn: Readonly<CatalogueCard["worksOn"]>;
    launchUrl: string | null;
    onSale: boolean;
  };
  steps: StepsOfUse;
  /** null: access without an end. */
  pass: { orderNumber: string; startsAt: Date; expiresAt: Date; renewedUntil: Date | null } | null;
  servers: readonly Server[];
  canReport: boolean;
  credential: { version: string | null } | null;
}

interface ToolScreenProps {
  slug: string;
  page: ({ access: "required" } & Omit<AccessRequiredProps, "slug">) | GrantedPage;
  selectedServerId: string | null;
  /** Whether the link to the page had a code that belongs to another tool. */
  hasCodeOfOtherTool: boolean;
  extensionId: string;
  /** What the user agent says. */
  isHandheld: boolean;
  now: Date;
}

type TitledPage = { access: "granted"; tool: { name: string } } | { access: "required" };

/** Title of a tool page. Search engines do not index it, because it is for buyers only. */
export function toolPageMeta(page: TitledPage, shared: Pick<SharedData, "store"> | undefined) {
  return unlistedPageMeta(
    shared,
    page.access === "granted" ? page.tool.name : messageForCode("access-required"),
  );
}

/** A tool page, or what is shown without an active pass. It closes by itself when the pass ends. */
export function ToolScreen({ page, ...props }: ToolScreenProps) {
  const hasEnded = useHasPassEnded(page.access === "granted" ? page.pass : null, props.now);
  if (page.access === "required") return <AccessRequired {...page} slug={props.slug} />;
  if (hasEnded) {
    const { tool, pass } = page;
    const passEndedAt = pass?.expiresAt ?? null;
    return (
      <AccessRequired
        slug={props.slug}
        toolName={tool.name}
        passEndedAt={passEndedAt}
        revokedPass={null}
        onSale={tool.onSale}
      />
    );
  }
  return (
    <PasswordPrompt>
      <OpenToolPage page={page} {...props} />
    </PasswordPrompt>
  );
}

type OpenToolPageProps = Omit<ToolScreenProps, "page"> & { page: GrantedPage };

/** The pass, unfolded: the ticket of the dashboard with the steps, the shared sign-in and the servers below its head. */
function OpenToolPage(props: OpenToolPageProps) {
  const { slug, page, selectedServerId, hasCodeOfOtherTool, extensionId, now } = props;
  const { user, origin } = useShared();
  useLive(["codes"]);
  const hasExtension = useExtensionPresence();
  // An extension that has answered is there, whatever the browser says it is.
  const isHandheld = useIsHandheld(props.isHandheld) && !hasExtension;
  const { tool, steps, pass, servers, canReport, credential } = page;
  const { name: toolName, launchUrl } = tool;
  const englishName = useEnglishName(toolName);
  const userEmail = user?.email ?? "";
  const forComputers = isForComputers(tool.worksOn);
  // The page then says how to go on at a computer. A code can still be read here and typed there.
  const isUnusable = isHandheld && forComputers;
  // A phone hides this page behind the tool, so the code that it needs there comes first.
  const codesFirst = isHandheld && !forComputers;
  const showsCode = useShowCode();
  const codes = (
    <>
      {credential === null ? null : (
        <ToolCredentials slug={slug} toolName={toolName} launchUrl={launchUrl} version={credential.version} />
      )}
      {credential !== null && servers.length === 0 ? null : (
        <ServerList
          servers={servers}
          page={{
            slug,
            toolName,
            userEmail,
            extensionId,
            canReport,
            isForComputers: forComputers,
            isHandheld,
            hasLaunchAddress: hasLaunchAddress({ launchUrl, servers }),
            hasCredentials: credential !== null && credential.version !== null,
          }}
          selectedServerId={selectedServerId}
          showsCode={showsCode}
          hasExtension={hasExtension}
        />
      )}
    </>
  );
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-[44rem] flex-col gap-5 px-4 pt-5 pb-16 outline-none sm:pt-8"
      >
        {hasCodeOfOtherTool ? (
          <Banner tone="warning">
            {t("The code in this link belongs to another tool, not to {tool}.", { tool: toolName })}
          </Banner>
        ) : null}
        <ComputerOnly
          name={toolName}
          places={tool.worksOn}
          advice={t("Open this page there.")}
          isHandheld={props.isHandheld}
        />
        <Card>
          <header className="flex flex-col gap-3 p-4 sm:p-5">
            <PassName tool={tool} isPass={pass !== null} />
            {codesFirst ? null : <PassTimes pass={pass} now={now} />}
          </header>
          {codesFirst ? codes : null}
          <div className="perforation flex flex-col gap-4 p-4 sm:p-5">
            <StepList
              toolName={toolName}
              steps={steps}
              hasExtension={hasExtension}
              onPhone={isUnusable ? steps.toComputer : isHandheld ? steps.onPhone : null}
            />
            {isUnusable ? <PageLink address={`${origin}${pagePath(slug)}`} toolName={toolName} /> : null}
            {/* The shared sign-in has a link to the same address. */}
            {isUnusable || launchUrl === null || credential !== null ? null : (
              <OpenTool name={toolName} url={launchUrl} />
            )}
          </div>
          {codesFirst ? null : codes}
          {pass === null ? null : (
            <div className="flex flex-col gap-2 border-line border-t px-4 py-3 sm:px-5">
              {codesFirst ? <PassTimes pass={pass} now={now} /> : null}
              <OrderNumberText number={pass.orderNumber} />
            </div>
          )}
        </Card>
        <p lang={langOf(tool.description)} className="max-w-prose text-muted text-sm">
          {tool.description}
        </p>
        <HelpLink about={englishName} />
      </main>
      <SiteFooter />
    </>
  );
}

/** Whether Show code led here. Only once: a page that is loaded again, or that the back button leads to, shows no code. */
function useShowCode(): boolean {
  const { pathname, state } = useLocation();
  const navigate = useNavigate();
  const [isAsked] = useState(state === SHOW_CODE);
  useEffect(() => {
    if (state !== SHOW_CODE) return;
    void navigate(pathname, { replace: true, preventScrollReset: true, defaultShouldRevalidate: false });
  }, [state, pathname, navigate]);
  return isAsked;
}

/**
 * Whether the pass of an open page has ended. At that moment the page's data is loaded again, because another pass may have
 * started.
 *
 * @param pass null: access without an end
 * @param now the time of rendering on the server
 */
function useHasPassEnded(pass: GrantedPage["pass"], now: Date): boolean {
  const { revalidate } = useRevalidator();
  const end = pass?.expiresAt;
  const hasEnded = useNow(now, end ?? now) >= (end ?? Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (hasEnded) void revalidate();
  }, [hasEnded, revalidate]);
  return hasEnded;
}

/** The head of every tool page: the tool's name, and where it works. */
function PassName({ tool, isPass }: Pick<GrantedPage, "tool"> & { isPass: boolean }) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <ToolLogo name={tool.name} />
      {/* With large text the name has a row of its own, so that its words stay whole. */}
      <div className="max-w-full grow basis-[10rem]">
        <h1 lang={langOf(tool.name)} className="wrap-break-word text-lg sm:text-xl">
          {tool.name}
        </h1>
        <WorksOn places={tool.worksOn} className="text-xs max-sm:[&>p]:sr-only" />
      </div>
      {isPass ? <Badge tone="green">{t("Active")}</Badge> : null}
    </div>
  );
}

/** The time left of the pass, as a bar and in words. */
function PassTimes({ pass, now }: Pick<GrantedPage, "pass"> & { now: Date }) {
  if (pass === null) return null;
  const { startsAt, expiresAt, renewedUntil } = pass;
  return (
    <div className="flex flex-col gap-2">
      <TimeBar from={startsAt} until={expiresAt} now={now} />
      {hasNoEnd(expiresAt) ? (
        <p className="font-medium text-ink text-sm">{t("No end")}</p>
      ) : (
        <p className="text-muted text-sm">
          {tNodes("Ends {date}", { date: <DateTime key="date" date={expiresAt} /> })}
          <span> · </span>
          <span className="font-medium text-ink">
            {tNodes("{time} left", {
              time: <TimeLeft key="time" until={expiresAt} now={now} format={timeLeftText} />,
            })}
            {renewedUntil === null ? null : <span>,</span>}
          </span>
          {renewedUntil === null ? null : (
            <>
              {" "}
              <ThenUntil date={renewedUntil} />
            </>
          )}
        </p>
      )}
    </div>
  );
}

/** The way to the tool itself. */
function OpenTool({ name, url }: { name: string; url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className={buttonClasses({ variant: "plain" }, "sm:self-start")}
    >
      <span>{t("Open {tool}", { tool: name })}</span>
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}

/** The address of this page, for a computer: copied, or given to another app where the browser can. */
function PageLink({ address, toolName }: { address: string; toolName: string }) {
  const { state, copy } = useCopy(address);
  const hasShare = useSyncExternalStore(subscribeToNothing, canShare, () => false);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2 max-sm:[&>*]:grow">
        <Button
          variant="strong"
          data-sound={state === "copied" ? "success" : undefined}
          onClick={() => void copy()}
        >
          {t(state === "copied" ? "Copied!" : "Copy link")}
        </Button>
        {hasShare ? (
          <Button onClick={() => void share({ title: toolName, url: address })}>{t("Share link")}</Button>
        ) : null}
      </div>
      {state === "refused" ? (
        <p role="alert" className="text-sm">
          {tNodes("Your browser did not let us copy the link. Here it is: {address}", {
            address: (
              <span key="address" className="wrap-anywhere select-all font-medium">
                {address}
              </span>
            ),
          })}
        </p>
      ) : null}
      <LiveRegion message={state === "copied" ? t("The link was copied") : ""} />
    </div>
  );
}

const subscribeToNothing = () => () => undefined;

interface StepListProps {
  toolName: string;
  steps: StepsOfUse;
  hasExtension: boolean;
  /** The steps for this phone; null on a computer. */
  onPhone: readonly string[] | null;
}

/** How to use the tool, numbered: other steps on a phone, and with the extension. */
function StepList({ toolName, steps, hasExtension, onPhone }: StepListProps) {
  const plain = onPhone ?? steps.plain;
  const withExtension = onPhone ?? steps.withExtension;
  return (
    <ol aria-label={t("How to use {tool}", { tool: toolName })} className="flex flex-col gap-2 text-pretty">
      {plain.map((step, at) => (
        <li key={step} lang={langOf(step)} className="flex items-baseline gap-3">
          <span
            aria-hidden="true"
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-paper font-semibold text-xs tabular-nums"
          >
            {at + 1}
          </span>
          <StepText plain={step} withExtension={withExtension[at] ?? step} hasExtension={hasExtension} />
        </li>
      ))}
    </ol>
  );
}

interface StepTextProps {
  plain: string;
  withExtension: string;
  hasExtension: boolean;
}

/**
 * One step. The server does not know whether the extension is there, so the step for a browser with it takes its space
 * from the start: the page does not move when it appears. A phone has no extension and needs the space.
 */
function StepText({ plain, withExtension, hasExtension }: StepTextProps) {
  if (plain === withExtension) return <span className="min-w-0 wrap-anywhere">{plain}</span>;
  const className = (isShown: boolean) =>
    classNames("wrap-anywhere [grid-area:1/1]", !isShown && "invisible max-sm:hidden pointer-coarse:hidden");
  return (
    <span className="grid min-w-0">
      <span className={className(!hasExtension)}>{plain}</span>
      <span className={className(hasExtension)}>{withExtension}</span>
    </span>
  );
}

interface AccessRequiredProps {
  slug: string;
  toolName: string;
  /** When the last pass expired; null if there is none. */
  passEndedAt: Date | null;
  /** The pass that was cancelled or refunded since then. */
  revokedPass: { purchaseId: string; endedAt: Date } | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/** Replaces the tool page for an account without an active pass for the tool. */
function AccessRequired({ slug, toolName, passEndedAt, revokedPass, onSale }: AccessRequiredProps) {
  const navigate = useNavigate();
  const { openPurchase } = usePurchase();
  const englishName = useEnglishName(toolName);
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-prose flex-col items-center gap-4 px-4 py-16 text-center outline-none sm:py-24"
      >
        <Ticket className="size-10 text-muted" aria-hidden="true" />
        <h1 className="text-xl">{messageForCode("access-required")}</h1>
        <p className="text-muted">
          <span>
            {passEndedAt === null || revokedPass !== null
              ? t("You need an active {tool} pass.", { tool: toolName })
              : tNodes("Your {tool} pass ended on {date}.", {
                  tool: toolName,
                  date: <DateOnly key="date" date={passEndedAt} />,
                })}
          </span>
          {onSale ? null : <span>{` ${t("This pass is no longer sold.")}`}</span>}
        </p>
        {revokedPass === null ? null : (
          <p className="text-balance">
            {tNodes("The shop ended your pass on {date}: {order}.", {
              date: <DateOnly key="date" date={revokedPass.endedAt} />,
              order: (
                <Link
                  key="order"
                  to={orderPath(revokedPass.purchaseId)}
                  className="text-accent underline underline-offset-4"
                >
                  {t("see your order")}
                </Link>
              ),
            })}
          </p>
        )}
        <div className="mt-2 flex flex-wrap justify-center gap-3">
          <Button onClick={() => void navigate("/")}>{t("Go to Homepage")}</Button>
          {onSale ? (
            <Button
              variant="strong"
              aria-label={t(passEndedAt === null ? "Get access to {tool}" : "Renew Access to {tool}", {
                tool: toolName,
              })}
              onClick={() => openPurchase({ slug, name: toolName, price: 0 })}
            >
              {t(passEndedAt === null ? "Get access" : "Renew Access")}
            </Button>
          ) : null}
        </div>
        <HelpLink about={`my pass for ${englishName}`} />
      </main>
      <SiteFooter />
    </>
  );
}
