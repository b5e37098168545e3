import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { isForComputers } from "#core/catalog/works-on.ts";
import type { StepsOfUse } from "#core/tool-pages/steps-of-use.ts";
import { useLive } from "../live/use-live.ts";
import { messageForCode } from "../middleware/error-messages.ts";
import type { SharedData } from "../shared-data.server.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { WorksOn } from "../storefront/offer/works-on.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { SiteHeader } from "../storefront/site-header.tsx";
import { Banner } from "../ui/banner.tsx";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useShared } from "../use-shared.ts";
import { AccessRequired } from "./access-required.tsx";
import { ToolCredentials } from "./credential/tool-credentials.tsx";
import { ComputerOnly } from "./extension/computer-only.tsx";
import { useExtensionPresence } from "./extension/extension-presence.ts";
import { PasswordPrompt } from "./password-prompt.tsx";
import { ServerList } from "./servers/server-list.tsx";
import type { Server } from "./servers/use-server-code.ts";
import { StepList } from "./step-list.tsx";
import { ToolHeader } from "./tool-header.tsx";
import { useHasPassEnded } from "./use-pass-end.ts";

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
    return <AccessRequired {...{ toolName, passEndedAt, onSale }} />;
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
            ...{ slug, toolName, userEmail, extensionId, canReport, timeZone },
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
