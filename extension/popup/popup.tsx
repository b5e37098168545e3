import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import type {
  EndedPass,
  ExtensionPass,
  ExtensionSession,
  ExtensionStatus,
} from "#contracts/extension-api.ts";
import { limitMessage } from "#contracts/page-messages.ts";
import { ShopError } from "../shop/shop-client.ts";
import type { PopupState } from "./read-status.ts";
import { formatDate, formatTimeLeft } from "./time-left.ts";

interface PopupProps {
  shopOrigin: string;
  version: string;
  load(): Promise<PopupState>;
  /** The access code of a session. */
  reveal: Reveal;
}

type Reveal = (sessionId: string) => Promise<string>;

/** The popup of the extension: the passes of its user, and the servers that this browser can open. */
export function Popup({ shopOrigin, version, load, reveal }: PopupProps) {
  const [state, setState] = useState<PopupState>({ kind: "loading" });
  const reload = useCallback(() => {
    setState({ kind: "loading" });
    load().then(setState, () =>
      setState({ kind: "failed", message: "The extension failed. Please try again." }),
    );
  }, [load]);
  useEffect(reload, [reload]);

  return (
    <main>
      <header>
        <h1>Daypass</h1>
        <NewTabLink href={shopOrigin}>{new URL(shopOrigin).host}</NewTabLink>
      </header>
      {state.kind === "loading" ? <p role="status">Loading your passes…</p> : null}
      {state.kind === "failed" ? (
        <section>
          <p role="alert">{state.message}</p>
          <button type="button" onClick={reload}>
            Try again
          </button>
        </section>
      ) : null}
      {state.kind === "not-connected" ? <Introduction shopOrigin={shopOrigin} /> : null}
      {state.kind === "limit-reached" ? <LimitReached shopOrigin={shopOrigin} limit={state.limit} /> : null}
      {state.kind === "connected" ? (
        <>
          {state.limit === null ? null : <LimitReached shopOrigin={shopOrigin} limit={state.limit} />}
          <Connected {...state} shopOrigin={shopOrigin} version={version} reveal={reveal} onEnd={reload} />
        </>
      ) : null}
    </main>
  );
}

function Introduction({ shopOrigin }: { shopOrigin: string }) {
  return (
    <section>
      <h2 className="title">Connect this browser</h2>
      <ol>
        <li>Open your dashboard in the shop and sign in.</li>
        <li>Open a tool for which you have a pass.</li>
        <li>Press Click next to a server. The server then appears here.</li>
      </ol>
      <NewTabLink href={`${shopOrigin}/dashboard`} strong>
        Open dashboard
      </NewTabLink>
      <p className="small">
        This extension works on the pages of your shop only. It does not read or change other sites.
      </p>
    </section>
  );
}

/** The shop refused to connect this browser: what the buyer can do about it. */
function LimitReached({ shopOrigin, limit }: { shopOrigin: string; limit: number }) {
  return (
    <section className="notice">
      <h2 className="title">This browser is not connected</h2>
      <p>{`${limitMessage(limit)} Then press Click again.`}</p>
      <NewTabLink href={`${shopOrigin}/dashboard#devices`} strong>
        Remove a browser
      </NewTabLink>
      <p className="small">Or press Show code on the tool’s page: it needs no extension.</p>
    </section>
  );
}

interface ConnectedProps {
  status: ExtensionStatus;
  clickedSessionId: string | null;
  reveal: Reveal;
  shopOrigin: string;
  version: string;
  /** A pass or session has ended while the popup was open. */
  onEnd(): void;
}

function Connected({ status, clickedSessionId, shopOrigin, version, reveal, onEnd }: ConnectedProps) {
  const { email, latestVersion, passes, ended, sessions } = status;
  const now = useNow();
  const hasEnded = [...passes, ...sessions].some(({ endsAt }) => endsAt !== null && new Date(endsAt) <= now);
  // What has ended at once by this computer's clock: the clock is ahead of the shop's, and loading again changes nothing.
  const [endedAtFirst] = useState(hasEnded);
  useEffect(() => {
    if (hasEnded && !endedAtFirst) onEnd();
  }, [hasEnded, endedAtFirst, onEnd]);

  return (
    <>
      {isOlderVersion(version, latestVersion) ? (
        <p className="notice">
          <span>{`Version ${latestVersion} is available. `}</span>
          <NewTabLink href={`${shopOrigin}/dashboard#extension`}>Update</NewTabLink>
        </p>
      ) : null}
      {ended.map((pass) => (
        <EndedNotice key={pass.id} pass={pass} />
      ))}
      <section>
        <h2>Ready to open</h2>
        {sessions.length === 0 ? (
          <p className="small">
            Press Click next to a server on a tool’s page. The server then appears here.
          </p>
        ) : (
          <ul className="sessions">
            {sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                now={now}
                reveal={reveal}
                isClicked={session.id === clickedSessionId}
              />
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>Your passes</h2>
        {passes.length === 0 ? (
          <p className="small">
            <span>You have no active pass. </span>
            <NewTabLink href={shopOrigin}>See all tools</NewTabLink>
          </p>
        ) : (
          <ul>
            {passes.map((pass) => (
              <PassRow key={pass.id} pass={pass} now={now} />
            ))}
          </ul>
        )}
      </section>
      <footer className="small">
        <span className="email" title={email}>
          {email}
        </span>
        <NewTabLink href={`${shopOrigin}/dashboard#devices`}>Devices</NewTabLink>
      </footer>
    </>
  );
}

/** A pass that ended a short time ago, and the way to renew it. */
function EndedNotice({ pass: { tool, pageUrl, endedAt } }: { pass: EndedPass }) {
  return (
    <p className="notice">
      <span>{`Your ${tool} pass ended on ${formatDate(new Date(endedAt))}. `}</span>
      <NewTabLink href={pageUrl} label={`Renew Access to ${tool}`}>
        Renew Access
      </NewTabLink>
    </p>
  );
}

interface SessionRowProps {
  session: ExtensionSession;
  now: Date;
  reveal: Reveal;
  /** The buyer has just pressed Click for it: its code is shown at once. */
  isClicked: boolean;
}

function SessionRow({ session, now, reveal, isClicked }: SessionRowProps) {
  const { id, tool, server, launchUrl, endsAt, hasNoEnd } = session;
  const { code, show, hide } = useCode(() => reveal(id), isClicked);
  return (
    <li>
      <div className="row">
        <div>
          <strong>{server}</strong>
          <span className="small">
            {endsAt === null ? tool : `${tool} · ${timeLeft(endsAt, hasNoEnd, now)}`}
          </span>
        </div>
        <span className="actions">
          {code.kind === "shown" ? null : (
            <button type="button" aria-label={`Show code of ${server} of ${tool}`} onClick={show}>
              Show code
            </button>
          )}
          <NewTabLink href={launchUrl} strong={code.kind !== "shown"} label={`Open ${server} of ${tool}`}>
            Open
          </NewTabLink>
        </span>
      </div>
      {code.kind === "shown" ? (
        <ShownCode code={code.text} of={`${server} of ${tool}`} onHide={hide} />
      ) : null}
      <p role="alert">{code.kind === "failed" ? code.message : null}</p>
    </li>
  );
}

type CodeState = { kind: "hidden" } | { kind: "shown"; text: string } | { kind: "failed"; message: string };

/** The code of one session, fetched on request, or at once. */
function useCode(fetchCode: () => Promise<string>, atOnce: boolean) {
  const [code, setCode] = useState<CodeState>({ kind: "hidden" });
  const isFetching = useRef(false);
  const show = () => {
    if (isFetching.current) return;
    isFetching.current = true;
    fetchCode()
      .then(
        (text) => setCode({ kind: "shown", text }),
        (error: unknown) =>
          setCode({
            kind: "failed",
            message: error instanceof ShopError ? error.message : "The extension failed. Please try again.",
          }),
      )
      .finally(() => {
        isFetching.current = false;
      });
  };
  const first = useRef(atOnce ? show : null);
  useEffect(() => {
    first.current?.();
    first.current = null;
  }, []);
  return { code, show, hide: () => setCode({ kind: "hidden" }) };
}

/** As on the tool's page. */
const SHOWN_MS = 60_000;
const COPIED_MS = 2000;

function ShownCode({ code, of, onHide }: { code: string; of: string; onHide(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState<"no" | "yes" | "refused">("no");
  const hide = useRef(onHide);
  useEffect(() => {
    hide.current = onHide;
  });
  useEffect(() => {
    const timer = setTimeout(() => hide.current(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (copied !== "yes") return undefined;
    const timer = setTimeout(() => setCopied("no"), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(code);
      setCopied("yes");
    } catch {
      setCopied("refused");
      field.current?.select();
    }
  };
  return (
    <>
      <div className="row code">
        <input
          ref={field}
          readOnly
          value={code}
          size={Math.max(4, code.length)}
          aria-label={`The code for ${of}`}
        />
        <button type="button" className="strong" onClick={() => void copy()}>
          {copied === "yes" ? "Copied!" : "Copy"}
        </button>
      </div>
      {copied === "refused" ? <p role="alert">Please select the code and copy it.</p> : null}
    </>
  );
}

function PassRow({ pass, now }: { pass: ExtensionPass; now: Date }) {
  const { tool, pageUrl, endsAt, hasNoEnd } = pass;
  return (
    <li>
      <div>
        <strong>{tool}</strong>
        <span className="small">{timeLeft(endsAt, hasNoEnd, now)}</span>
      </div>
      <NewTabLink href={pageUrl} label={`Servers of ${tool}`}>
        Servers
      </NewTabLink>
    </li>
  );
}

interface NewTabLinkProps {
  href: string;
  children: ReactNode;
  /** The main action of its row or section. */
  strong?: boolean;
  label?: string;
}

function NewTabLink({ href, children, strong = false, label }: NewTabLinkProps) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={strong ? "strong" : undefined}
      aria-label={label}
    >
      {children}
    </a>
  );
}

function timeLeft(endsAt: string, hasNoEnd: boolean, now: Date): string {
  if (hasNoEnd) return "No end";
  const left = formatTimeLeft(new Date(endsAt), now);
  return left === null ? "ended" : `${left} left`;
}

function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
