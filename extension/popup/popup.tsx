import { type ReactNode, useCallback, useEffect, useState } from "react";
import { isOlderVersion } from "#contracts/compare-versions.ts";
import type { ExtensionPass, ExtensionSession, ExtensionStatus } from "#contracts/extension-api.ts";
import { limitMessage } from "#contracts/page-messages.ts";
import type { PopupState } from "./read-status.ts";
import { formatTimeLeft } from "./time-left.ts";

interface PopupProps {
  shopOrigin: string;
  version: string;
  load(): Promise<PopupState>;
}

/** The popup of the extension: the passes of its user, and the servers that this browser can open. */
export function Popup({ shopOrigin, version, load }: PopupProps) {
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
          <Connected status={state.status} shopOrigin={shopOrigin} version={version} onEnd={reload} />
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
      <p>{limitMessage(limit)} Then press Click again.</p>
      <NewTabLink href={`${shopOrigin}/dashboard#devices`} strong>
        Remove a browser
      </NewTabLink>
      <p className="small">Or press Show code on the tool’s page: it needs no extension.</p>
    </section>
  );
}

interface ConnectedProps {
  status: ExtensionStatus;
  shopOrigin: string;
  version: string;
  /** A pass or session has ended while the popup was open. */
  onEnd(): void;
}

function Connected({ status, shopOrigin, version, onEnd }: ConnectedProps) {
  const { email, latestVersion, passes, sessions } = status;
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
          Version {latestVersion} is available.{" "}
          <NewTabLink href={`${shopOrigin}/dashboard#extension`}>Update</NewTabLink>
        </p>
      ) : null}
      <section>
        <h2>Ready to open</h2>
        {sessions.length === 0 ? (
          <p className="small">
            Press Click next to a server on a tool’s page. The server then appears here.
          </p>
        ) : (
          <ul>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} now={now} />
            ))}
          </ul>
        )}
      </section>
      <section>
        <h2>Your passes</h2>
        {passes.length === 0 ? (
          <p className="small">
            You have no active pass. <NewTabLink href={shopOrigin}>See all tools</NewTabLink>
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

function SessionRow({ session, now }: { session: ExtensionSession; now: Date }) {
  const { tool, server, launchUrl, endsAt } = session;
  return (
    <li>
      <div>
        <strong>{server}</strong>
        <span className="small">
          {tool}
          {endsAt === null ? null : ` · ${timeLeft(endsAt, now)}`}
        </span>
      </div>
      <NewTabLink href={launchUrl} strong label={`Open ${server} of ${tool}`}>
        Open
      </NewTabLink>
    </li>
  );
}

function PassRow({ pass, now }: { pass: ExtensionPass; now: Date }) {
  const { tool, pageUrl, endsAt } = pass;
  return (
    <li>
      <div>
        <strong>{tool}</strong>
        <span className="small">{timeLeft(endsAt, now)}</span>
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

function timeLeft(endsAt: string, now: Date): string {
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
