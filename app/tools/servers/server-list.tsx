import { Link } from "react-router";
import { Card } from "../../ui/card.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { ServerRow } from "./server-row.tsx";
import type { Server, ServerPage } from "./use-server-code.ts";

interface ServerListProps {
  servers: readonly Server[];
  page: ServerPage;
  selectedServerId: string | null;
  /** The extension has answered in this browser. */
  hasExtension: boolean;
}

/** The servers of a tool, each with its access code. */
export function ServerList({ servers, page, selectedServerId, hasExtension }: ServerListProps) {
  if (servers.length === 0) {
    return (
      <EmptyState title="No servers yet">
        The servers of {page.toolName} will be listed here. Your pass is safe; please come back later or
        contact support.
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Card className="overflow-hidden">
        <ul aria-label="Servers" className="divide-y divide-line">
          {servers.map((server) => (
            <ServerRow
              key={server.id}
              server={server}
              page={page}
              selected={server.id === selectedServerId}
              hasExtension={hasExtension}
              otherServer={findOtherServer(servers, server.id)}
            />
          ))}
        </ul>
      </Card>
      <p className="text-muted text-sm">
        {hasExtension ? (
          "Click hands the code to the browser extension. Show code works without it."
        ) : (
          <>
            Click is for computers with our{" "}
            <Link to="/dashboard#extension" className="text-accent underline underline-offset-4">
              browser extension
            </Link>
            .{page.isForComputers ? null : " Show code works everywhere."}
          </>
        )}
      </p>
    </div>
  );
}

/** What decides whether a server is worth a try. */
interface ServerFacts {
  id: string;
  name: string;
  codeVersion: string | null;
  reportedAt: Date | null;
}

/**
 * The name of the server to try instead of `id`: the next one in the list, then from its start, that has a code which this
 * buyer has not reported. Null without any.
 */
export function findOtherServer(servers: readonly ServerFacts[], id: string): string | null {
  const at = servers.findIndex((server) => server.id === id);
  const inOrder = [...servers.slice(at + 1), ...servers.slice(0, Math.max(0, at))];
  const usable = inOrder.find(({ codeVersion, reportedAt }) => codeVersion !== null && reportedAt === null);
  return usable?.name ?? null;
}
