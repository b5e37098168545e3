import { useState } from "react";
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
  const [usedId, setUsedId] = useState(selectedServerId);
  const best = findOtherServer(servers, null) ?? servers.find(({ codeVersion }) => codeVersion !== null);
  // The one that the buyer uses has the strong button, unless it is reported.
  const used = servers.find(({ id }) => id === usedId);
  const main = used && used.codeVersion !== null && used.reportedAt === null ? used : best;
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
            isMain={server === main}
            onUse={() => setUsedId(server.id)}
            showsCode={showsCode && server === best}
            hasExtension={hasExtension}
            otherServer={findOtherServer(servers, server.id)?.name ?? null}
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
  codeVersion: string | null;
  reportedAt: Date | null;
  otherReports: number;
}

/**
 * The server to try instead of `id`: the next one in the list, then from its start, that has a code which this
 * buyer has not reported; one that others reported only when there is no other.
 */
export function findOtherServer<S extends ServerFacts>(
  servers: readonly S[],
  id: string | null,
): S | undefined {
  const at = servers.findIndex((server) => server.id === id);
  const inOrder = [...servers.slice(at + 1), ...servers.slice(0, Math.max(0, at))];
  const usable = inOrder.filter(({ codeVersion, reportedAt }) => codeVersion !== null && reportedAt === null);
  return usable.find(({ otherReports }) => otherReports === 0) ?? usable[0];
}
