import { messageForCode } from "../middleware/error-messages.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { Card } from "../ui/card.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { AccessRequired } from "./access-required.tsx";
import { type Server, ServerRow } from "./server-row.tsx";
import { ToolHeader } from "./tool-header.tsx";

interface ToolScreenProps {
  slug: string;
  page:
    | { access: "required"; toolName: string; passEndedAt: Date | null }
    | {
        access: "granted";
        tool: { name: string; description: string };
        expiresAt: Date | null;
        servers: Server[];
      };
  selectedServerId: string | null;
  now: Date;
  timeZone: string;
}

type TitledPage = { access: "granted"; tool: { name: string } } | { access: "required" };

/** Title of a tool page. Search engines do not index it, because it is for buyers only. */
export function toolPageMeta(page: TitledPage | undefined) {
  const title = page?.access === "granted" ? page.tool.name : messageForCode("access-required");
  return [{ title }, { name: "robots", content: "noindex" }];
}

/** A tool page: its servers, or what is shown without an active pass. */
export function ToolScreen({ slug, page, selectedServerId, now, timeZone }: ToolScreenProps) {
  if (page.access === "required") {
    const { toolName, passEndedAt } = page;
    return <AccessRequired toolName={toolName} passEndedAt={passEndedAt} timeZone={timeZone} />;
  }
  const { tool, expiresAt, servers } = page;
  return (
    <main
      id="content"
      tabIndex={-1}
      className="mx-auto flex max-w-[44rem] flex-col gap-6 px-4 pt-4 pb-16 sm:pt-8"
    >
      <ToolHeader name={tool.name} expiresAt={expiresAt} now={now} timeZone={timeZone} />
      <p className="max-w-prose text-muted">{tool.description}</p>
      {servers.length === 0 ? (
        <EmptyState title="No servers yet">
          The servers of {tool.name} will be listed here. Your pass is safe; please come back later or contact
          support.
        </EmptyState>
      ) : (
        <>
          <p className="max-w-prose">
            Press Show code to read the code and copy it into the tool. Click copies it too, but it stays on
            the clipboard only for a moment.
          </p>
          <Card className="overflow-hidden">
            <ul aria-label="Servers" className="divide-y divide-line">
              {servers.map((server) => (
                <ServerRow
                  key={server.id}
                  slug={slug}
                  server={server}
                  selected={server.id === selectedServerId}
                />
              ))}
            </ul>
          </Card>
        </>
      )}
      <HelpLink about={tool.name} />
    </main>
  );
}
