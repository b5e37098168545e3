import ExternalLink from "lucide-react/icons/external-link";
import Ticket from "lucide-react/icons/ticket";
import { useEffect } from "react";
import { useNavigate, useRevalidator } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { isForComputers } from "#core/catalog/rules.ts";
import { formatTimeLeft } from "#core/time.ts";
import type { StepsOfUse } from "#core/tool-pages/rules.ts";
import { usePurchase } from "../checkout/purchase-provider.tsx";
import { DateOnly } from "../date-time.tsx";
import { useLive } from "../live/use-live.ts";
import { messageForCode } from "../middleware/error-messages.ts";
import type { SharedData } from "../shared-data.server.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { VisuallyHidden } from "../ui/text.tsx";
import { TimeLeft, useNow } from "../ui/time.tsx";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useShared } from "../use-shared.ts";
import { ComputerOnly } from "./extension/computer-only.tsx";
import { useExtensionPresence } from "./extension/extension-presence.ts";
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
  expiresAt: Date | null;
  servers: readonly Server[];
  canReport: boolean;
  credential: { version: string | null } | null;
}

interface ToolScreenProps {
  slug: string;
  page: { access: "required"; toolName: string; passEndedAt: Date | null; onSale: boolean } | GrantedPage;
  selectedServerId: string | null;
  /** Whether the link to the page had a code that belongs to another tool. */
  hasCodeOfOtherTool: boolean;
  extensionId: string;
  now: Date;
  timeZone: string;
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
  const hasEnded = useHasPassEnded(page.access === "granted" ? page.expiresAt : null, props.now);
  if (page.access === "required") {
    const { toolName, passEndedAt, onSale } = page;
    return <AccessRequired toolName={toolName} passEndedAt={passEndedAt} onSale={onSale} />;
  }
  if (hasEnded) {
    const { tool, expiresAt } = page;
    return <AccessRequired toolName={tool.name} passEndedAt={expiresAt} onSale={tool.onSale} />;
  }
  return (
    <PasswordPrompt>
      <OpenToolPage page={page} {...props} />
    </PasswordPrompt>
  );
}

type OpenToolPageProps = Omit<ToolScreenProps, "page"> & { page: GrantedPage };

function OpenToolPage(props: OpenToolPageProps) {
  const { slug, page, selectedServerId, hasCodeOfOtherTool, extensionId, now, timeZone } = props;
  const { user } = useShared();
  useLive(["codes"]);
  const hasExtension = useExtensionPresence();
  const { tool, steps, expiresAt, servers, canReport, credential } = page;
  const { name: toolName, launchUrl } = tool;
  const userEmail = user?.email ?? "";
  return (
    <>
      <SiteHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-[44rem] flex-col gap-6 px-4 pt-6 pb-16 outline-none sm:pt-8"
      >
        <ToolHeader name={toolName} launchUrl={launchUrl} expiresAt={expiresAt} now={now} />
        {hasCodeOfOtherTool ? (
          <Banner tone="warning">The code in this link belongs to another tool, not to {toolName}.</Banner>
        ) : null}
        <WorksOn places={tool.worksOn} className="-mt-3" />
        <ComputerOnly name={toolName} places={tool.worksOn} advice="Open this page there." />
        <StepList toolName={toolName} steps={steps} hasExtension={hasExtension} />
        {credential === null ? null : (
          <ToolCredentials
            slug={slug}
            toolName={toolName}
            launchUrl={launchUrl}
            version={credential.version}
          />
        )}
        <ServerList
          servers={servers}
          page={{
            slug,
            toolName,
            userEmail,
            extensionId,
            canReport,
            timeZone,
            isForComputers: isForComputers(tool.worksOn),
          }}
          selectedServerId={selectedServerId}
          hasExtension={hasExtension}
        />
        <p className="max-w-prose text-muted text-sm">{tool.description}</p>
        <HelpLink about={toolName} />
      </main>
      <SiteFooter />
    </>
  );
}

/**
 * Whether the pass of an open page has ended. At that moment the page's data is loaded again, because another pass may have
 * started.
 *
 * @param expiresAt null: access without an end
 * @param now the time of rendering on the server
 */
function useHasPassEnded(expiresAt: Date | null, now: Date): boolean {
  const { revalidate } = useRevalidator();
  const hasEnded = useNow(now, expiresAt ?? now) >= (expiresAt ?? Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (hasEnded) void revalidate();
  }, [hasEnded, revalidate]);
  return hasEnded;
}

interface ToolHeaderProps {
  name: string;
  /** Where the tool itself is; null: the owner gave no address. */
  launchUrl: string | null;
  /** null: access without an end. */
  expiresAt: Date | null;
  now: Date;
}

/** The header of every tool page: the tool's name, the time left of the pass, and the way to the tool. */
function ToolHeader({ name, launchUrl, expiresAt, now }: ToolHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-3">
      <ToolLogo name={name} />
      <div className="min-w-0 grow basis-[min-content]">
        <h1 className="text-xl">{name}</h1>
        {expiresAt === null ? null : (
          <p className="mt-1 text-muted">
            Ends <DateOnly date={expiresAt} /> ·{" "}
            <TimeLeft until={expiresAt} now={now} format={formatTimeLeft} /> left
          </p>
        )}
      </div>
      {launchUrl === null ? null : (
        <a
          href={launchUrl}
          target="_blank"
          rel="noopener noreferrer"
          className={buttonClasses({ variant: "plain" })}
        >
          Open {name}
          <ExternalLink className="size-4" aria-hidden="true" />
        </a>
      )}
    </header>
  );
}

interface StepListProps {
  toolName: string;
  steps: StepsOfUse;
  hasExtension: boolean;
}

/** How to use the tool, numbered. */
function StepList({ toolName, steps, hasExtension }: StepListProps) {
  const { plain, withExtension } = steps;
  return (
    <ol aria-label={`How to use ${toolName}`} className="flex flex-col gap-2 text-pretty">
      {plain.map((step, at) => (
        <li key={step} className="flex items-baseline gap-3">
          <span
            aria-hidden="true"
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-card font-semibold text-xs tabular-nums"
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
  toolName: string;
  /** When the last pass expired; null without one. */
  passEndedAt: Date | null;
  /** Whether the tool is in the catalogue. */
  onSale: boolean;
}

/** Replaces the tool page for an account without an active pass for the tool. */
function AccessRequired({ toolName, passEndedAt, onSale }: AccessRequiredProps) {
  const navigate = useNavigate();
  const { openPurchase } = usePurchase();
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
          {passEndedAt === null ? (
            `You need an active ${toolName} pass.`
          ) : (
            <>
              Your {toolName} pass ended on <DateOnly date={passEndedAt} />.
            </>
          )}
          {onSale ? null : " This pass is no longer sold."}
        </p>
        <div className="mt-2 flex flex-wrap justify-center gap-3">
          <Button onClick={() => void navigate("/")}>Go to Homepage</Button>
          {onSale ? (
            <Button variant="strong" onClick={() => openPurchase({ name: toolName, price: 0 })}>
              {passEndedAt === null ? "Get access" : "Renew Access"}
              <VisuallyHidden> to {toolName}</VisuallyHidden>
            </Button>
          ) : null}
        </div>
        <HelpLink about={`my pass for ${toolName}`} />
      </main>
      <SiteFooter />
    </>
  );
}
