import ExternalLink from "lucide-react/icons/external-link";
import { useEffect, useId, useRef } from "react";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { buttonClasses, classNames } from "../ui/class-names.ts";
import { LiveRegion } from "../ui/screen-reader-text.tsx";
import { ShownCode } from "./shown-code.tsx";
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

/**
 * One server of a tool: its name, whether it has a code, and the buttons that show the code or copy it for a moment.
 */
export function ServerRow({ slug, server, selected }: ServerRowProps) {
  const nameId = useId();
  const button = useRef<HTMLButtonElement>(null);
  const { state, purpose, copy, show, reset } = useAccessCode(slug, server.id);
  const isShown = state.kind === "shown";

  useEffect(() => {
    if (selected) button.current?.focus();
  }, [selected]);

  // The control in the panel that has the focus disappears.
  const hide = () => {
    if (button.current?.closest("li")?.contains(document.activeElement)) button.current.focus();
    reset();
  };

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
          {server.url === null ? null : <ServerLink url={server.url} nameId={nameId} />}
          <Button
            variant="plain"
            busy={state.kind === "fetching" && purpose === "copy"}
            aria-describedby={nameId}
            className="min-w-22"
            onClick={() => void copy()}
          >
            {state.kind === "copied" ? "Copied!" : "Click"}
          </Button>
          <Button
            ref={button}
            variant="strong"
            busy={state.kind === "fetching" && purpose === "show"}
            aria-describedby={nameId}
            aria-expanded={isShown}
            onClick={isShown ? reset : () => void show()}
          >
            {isShown ? "Hide code" : "Show code"}
          </Button>
        </div>
      </div>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {state.kind === "refused" ? state.message : null}
      </p>
      <LiveRegion message={announcement(state, server.name)} />
      {isShown ? (
        <ShownCode
          key={state.code}
          code={state.code}
          server={server.name}
          requested={purpose === "show"}
          onHide={hide}
        />
      ) : null}
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
