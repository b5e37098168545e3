import ExternalLink from "lucide-react/icons/external-link";
import { useEffect, useId, useRef } from "react";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { LiveRegion } from "../ui/screen-reader-text.tsx";
import { ManualCopyDialog } from "./manual-copy-dialog.tsx";
import { type CodeState, useAccessCode } from "./use-access-code.ts";

export interface Server {
  id: string;
  name: string;
  url: string | null;
  hasCode: boolean;
}

interface ServerRowProps {
  slug: string;
  server: Server;
  /** Highlighted and focused: the URL names this server. */
  selected: boolean;
}

/** One server of a tool: its name, whether it has a code, and the buttons that copy or show the code. */
export function ServerRow({ slug, server, selected }: ServerRowProps) {
  const nameId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { state, purpose, copy, show, reset } = useAccessCode(slug, server.id);

  useEffect(() => {
    if (selected) button.current?.focus();
  }, [selected]);

  return (
    <li
      id={server.id}
      aria-current={selected || undefined}
      className={classNames("px-4 py-4 sm:px-5", selected && "bg-marigold/10")}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h2 id={nameId} className="min-w-0 text-base">
          {server.name}
        </h2>
        <Badge tone={server.hasCode ? "green" : "neutral"}>{server.hasCode ? "Ready" : "No code yet"}</Badge>
        <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
          <Button
            variant="quiet"
            busy={state.kind === "fetching" && purpose === "show"}
            aria-describedby={nameId}
            onClick={() => void show()}
          >
            Show code
          </Button>
          {server.url === null ? null : <ServerLink url={server.url} nameId={nameId} />}
          <Button
            ref={button}
            variant={state.kind === "copied" ? "plain" : "strong"}
            busy={state.kind === "fetching" && purpose === "copy"}
            aria-describedby={nameId}
            className="min-w-26"
            onClick={() => void copy()}
          >
            {state.kind === "copied" ? "Copied!" : "Click"}
          </Button>
        </div>
      </div>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {state.kind === "refused" ? state.message : null}
      </p>
      <LiveRegion message={announcement(state, server.name)} />
      <ManualCopyDialog
        code={state.kind === "shown" ? state.code : null}
        server={server.name}
        requested={purpose === "show"}
        onClose={reset}
      />
    </li>
  );
}

function ServerLink({ url, nameId }: { url: string; nameId: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-describedby={nameId}
      className={buttonClasses({ variant: "plain" })}
    >
      Open
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}

function announcement(state: CodeState, server: string): string {
  if (state.kind === "fetching") return `Fetching the code of ${server}`;
  return state.kind === "copied" ? `The code of ${server} was copied` : "";
}
