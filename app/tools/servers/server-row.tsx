import ExternalLink from "lucide-react/icons/external-link";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { Link } from "react-router";
import { LIMIT_MESSAGES } from "#contracts/page-messages.ts";
import { TICKET_SHAPE } from "../../storefront/logo.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { buttonClasses, classNames } from "../../ui/class-names.ts";
import { LiveRegion } from "../../ui/text.tsx";
import { plural, t, tNodes, translate } from "../../ui/texts/texts.ts";
import { hasExtensionAnswered } from "../extension/extension-presence.ts";
import type { ExtensionOutcome } from "../extension/trigger-extension.ts";
import { SHOWN_MS, ShownValue } from "../shown-value.tsx";
import type { RevealState } from "../use-reveal.ts";
import { ReportCode } from "./report-code.tsx";
import { type Server, type ServerPage, useSeenCode, useServerCode } from "./use-server-code.ts";

interface ServerRowProps {
  server: Server;
  page: ServerPage;
  /** Highlighted and focused: the URL names this server. */
  selected: boolean;
  /** Its button is the strong one of the list. */
  isMain: boolean;
  /** Is called when one of its buttons is pressed. */
  onUse: () => void;
  /** The code is shown when the page opens. */
  showsCode: boolean;
  /** The extension has answered in this browser: Click is then the button for most people. */
  hasExtension: boolean;
  /** The server to try when the code of this one does not work; null without any. */
  otherServer: string | null;
}

/**
 * One server of a tool: its name, whether it has a code, and the buttons that show the code or hand it to the extension.
 */
export function ServerRow(props: ServerRowProps) {
  const { server, page, selected, isMain, onUse, showsCode, hasExtension, otherServer } = props;
  const nameId = useId();
  const hintId = useId();
  const clickButton = useRef<HTMLButtonElement>(null);
  const showButton = useRef<HTMLButtonElement>(null);
  const { code, extension, click } = useServerCode(server, page);
  const { state, purpose } = code;
  const isShown = state.kind === "shown";
  const hasCode = server.codeVersion !== null;
  const { hasSeenCode, hasCodeChanged } = useSeenCode(page.slug, server, code, extension);
  const canReport = page.canReport && hasCode && (hasSeenCode || server.reportedAt !== null);

  const { isHandheld } = page;
  const isUnusable = isHandheld && page.isForComputers;
  // The sign-in or another server comes first.
  const isSecond = !isMain || isUnusable || page.hasCredentials || server.reportedAt !== null;
  // With the code on the screen, Copy is the strong button.
  const showVariant = isUnusable ? "quiet" : isSecond || hasExtension || isShown ? "plain" : "strong";

  useEffect(() => {
    if (selected) (hasExtensionAnswered() ? clickButton : showButton).current?.focus();
  }, [selected]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (showsCode) void code.show();
  }, []);

  const shownCode = isShown ? (
    <ShownValue
      key={state.value}
      value={state.value}
      noun="code"
      owner={server.name}
      requested={purpose === "show"}
      wideCopy={isHandheld}
      isSecond={isSecond}
      returnFocusTo={showButton}
      onHide={code.reset}
    />
  ) : null;
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
        <CodeBadge server={server} />
        {/* A phone has the code at the place of the button, which is then below it. */}
        {isHandheld && shownCode ? <div className="w-full">{shownCode}</div> : null}
        <div
          className={classNames(
            "ml-auto flex flex-wrap items-center justify-end gap-2",
            isHandheld ? "w-full [&>*]:grow" : "max-sm:w-full max-sm:[&>*]:grow",
          )}
        >
          <Button
            ref={showButton}
            variant={showVariant}
            busy={state.kind === "fetching" && purpose === "show"}
            aria-describedby={isShown ? nameId : `${nameId} ${hintId}`}
            aria-expanded={isShown}
            className="flex-wrap gap-x-1.5 gap-y-0 whitespace-nowrap max-sm:basis-48 max-sm:px-2"
            onClick={() => {
              onUse();
              if (isShown) code.reset();
              else void code.show();
            }}
          >
            <span>{t(isShown ? "Hide code" : "Show code")}</span>
            {isShown ? null : (
              // A description, and no part of the name.
              <span id={hintId} aria-hidden="true" className="font-normal text-xs opacity-80">
                {t("hides in {seconds} s", { seconds: SHOWN_MS / 1000 })}
              </span>
            )}
          </Button>
          {isHandheld ? null : (
            <Button
              ref={clickButton}
              variant={!hasExtension ? "quiet" : isSecond || isShown ? "plain" : "strong"}
              busy={state.kind === "fetching" && purpose === "copy"}
              aria-describedby={nameId}
              className="min-w-22"
              data-sound={state.kind === "copied" ? "success" : undefined}
              onClick={() => {
                onUse();
                click();
              }}
            >
              {state.kind === "copied" ? null : <ExtensionMark />}
              <span>{t(state.kind === "copied" ? "Copied!" : "Click")}</span>
            </Button>
          )}
          {server.url === null ? null : <ServerLink url={server.url} nameId={nameId} />}
        </div>
      </div>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {state.kind === "refused" ? state.message : null}
      </p>
      <p role="status" className="mt-2 text-sm text-yellow empty:hidden">
        {hasCodeChanged ? changeNotice(server) : null}
      </p>
      <ExtensionAnswer outcome={extension} />
      <LiveRegion message={announcement(state, server.name)} />
      {isHandheld ? null : shownCode}
      {canReport ? (
        <ReportCode server={server} page={page} nameId={nameId} otherServer={otherServer} />
      ) : null}
    </li>
  );
}

function CodeBadge({ server: { codeVersion, reportedAt, otherReports } }: { server: Server }) {
  if (codeVersion === null) return <Badge>{t("No code yet")}</Badge>;
  if (reportedAt !== null) return <Badge tone="yellow">{t("Reported")}</Badge>;
  if (otherReports > 0)
    return <Badge tone="yellow">{t("Reported by {count}, being checked", { count: otherReports })}</Badge>;
  return <Badge tone="green">{t("Ready")}</Badge>;
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
      <span>{t("Open")}</span>
      <ExternalLink className="size-4" aria-hidden="true" />
    </a>
  );
}

function changeNotice({ name, codeVersion }: Server): string {
  return codeVersion === null
    ? t("The code for {server} is no longer in use. Please use another server.", { server: name })
    : t("The code for {server} has changed. Press Show code for the new one.", { server: name });
}

function announcement(state: RevealState, server: string): string {
  if (state.kind === "fetching") return t("Fetching the code for {server}", { server });
  return state.kind === "copied" ? t("The code for {server} was copied", { server }) : "";
}

/** The icon of the extension in a browser's toolbar. */
function ExtensionMark() {
  return (
    <svg viewBox="0 0 32 32" className="size-5" aria-hidden="true">
      <path className="fill-current" d={TICKET_SHAPE} />
      <path className="stroke-marigold" strokeWidth="3" strokeLinecap="round" d="M10 16h7M21.5 16h.01" />
    </svg>
  );
}

/** Says in the row of a server what the browser extension did with its code, or that the extension is missing. */
function ExtensionAnswer({ outcome }: { outcome: ExtensionOutcome | null }) {
  const isBlocked = outcome?.kind === "answered" && outcome.blocked;
  return (
    <>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {isBlocked ? t("Extension usage blocked: {reason}", { reason: translate(outcome.message) }) : null}
      </p>
      <div role="status" className="mt-2 text-pretty text-sm empty:hidden">
        {outcome === null ? null : <Answer outcome={outcome} />}
      </div>
    </>
  );
}

function Answer({ outcome }: { outcome: ExtensionOutcome }) {
  if (outcome.kind === "answered" && outcome.blocked) {
    if (outcome.limit === null) return <p>{t("Press Show code instead.")}</p>;
    return (
      <p>
        <TextLink>
          <Link to="/dashboard#devices">
            {plural(outcome.limit, LIMIT_MESSAGES.one, LIMIT_MESSAGES.other)}
          </Link>
        </TextLink>
      </p>
    );
  }
  if (outcome.kind === "answered") {
    return (
      <p className="text-green">
        {outcome.message ? translate(outcome.message) : t("The extension has the code.")}
      </p>
    );
  }
  return (
    <p>
      <span>{t("No extension here. Press Show code.")}</span>
      <span>
        {" "}
        {tNodes("To use Click, get the extension {dashboard}, or download it {chrome} or {firefox}.", {
          dashboard: (
            <TextLink key="dashboard">
              <Link to="/dashboard#extension">{t("on your dashboard")}</Link>
            </TextLink>
          ),
          chrome: (
            <TextLink key="chrome">
              <a href="/downloads/daypass-chrome.zip">{t("for Chrome")}</a>
            </TextLink>
          ),
          firefox: (
            <TextLink key="firefox">
              <a href="/downloads/daypass-firefox.zip">{t("for Firefox")}</a>
            </TextLink>
          ),
        })}
      </span>
    </p>
  );
}

function TextLink({ children }: { children: ReactNode }) {
  return <span className="[&>a]:text-accent [&>a]:underline [&>a]:underline-offset-4">{children}</span>;
}
