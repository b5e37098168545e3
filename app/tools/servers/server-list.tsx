import { Link } from "react-router";
import { EmptyState } from "../../ui/empty-state.tsx";
import { t, tNodes } from "../../ui/texts/texts.ts";
import { ServerRow } from "./server-row.tsx";
import type { Server, ServerPage } from "./use-server-code.ts";

interface ServerListProps {
  servers: readonly Server[];
  page: ServerPage;
  selectedServerId: string | null;
  /** The code of the first server which nobody has reported is shown at once. */
  showsCode: boolean;
  /** The extension has answered in this browser. */
  hasExtension: boolean;
}

/** The servers of a tool, each with its access code: the lower part of its pass. */
export function ServerList({ servers, page, selectedServerId, showsCode, hasExtension }: ServerListProps) {
  const withCode = servers.filter(({ codeVersion }) => codeVersion !== null);
  const best = withCode.find(({ otherReports }) => otherReports === 0) ?? withCode[0];
  if (servers.length === 0) {
    return (
      <div className="perforation p-4 sm:p-5">
        <EmptyState title={t("No servers yet")}>
          {t(
            "The servers of {tool} will be listed here. Your pass is safe; please come back later or contact support.",
            { tool: page.toolName },
          )}
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="perforation flex flex-col">
      <ul aria-label={t("Servers")} className="divide-y divide-line">
        {servers.map((server) => (
          <ServerRow
            key={server.id}
            server={server}
            page={page}
            selected={server.id === selectedServerId}
            showsCode={showsCode && server === best}
            hasExtension={hasExtension}
            otherServer={findOtherServer(servers, server.id)}
          />
        ))}
      </ul>
      <WhichButton page={page} hasExtension={hasExtension} />
    </div>
  );
}

/**
 * Which of the two buttons is for whom. Nothing on a phone, which has one.
 */
function WhichButton({ page, hasExtension }: Pick<ServerListProps, "page" | "hasExtension">) {
  const { toolName, isHandheld, hasLaunchAddress } = page;
  if (isHandheld) return null;
  return (
    <p className="border-line border-t px-4 py-3 text-muted text-xs sm:px-5">
      {hasExtension
        ? whatClickDoes(hasLaunchAddress ? toolName : null)
        : tNodes("Click needs our {extension}. Without it, press Show code.", {
            extension: (
              <Link
                key="extension"
                to="/dashboard#extension"
                className="text-accent underline underline-offset-4"
              >
                {t("browser extension")}
              </Link>
            ),
          })}
    </p>
  );
}

/** @param tool the tool that it opens; null when the shop does not know where that is */
function whatClickDoes(tool: string | null): string {
  return tool === null
    ? t("Click keeps the code ready under the Daypass icon.")
    : t("Click opens {tool} in a new tab and keeps the code ready under the Daypass icon.", { tool });
}

/** What decides whether a server is worth a try. */
interface ServerFacts {
  id: string;
  name: string;
  codeVersion: string | null;
  reportedAt: Date | null;
  otherReports: number;
}

/**
 * The name of the server to try instead of `id`: the next one in the list, then from its start, that has a code which this
 * buyer has not reported; one that others reported only when there is no other. Null without any.
 */
export function findOtherServer(servers: readonly ServerFacts[], id: string): string | null {
  const at = servers.findIndex((server) => server.id === id);
  const inOrder = [...servers.slice(at + 1), ...servers.slice(0, Math.max(0, at))];
  const usable = inOrder.filter(({ codeVersion, reportedAt }) => codeVersion !== null && reportedAt === null);
  return (usable.find(({ otherReports }) => otherReports === 0) ?? usable[0])?.name ?? null;
}
