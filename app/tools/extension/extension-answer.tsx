import type { ReactNode } from "react";
import { Link } from "react-router";
import type { ExtensionOutcome } from "./trigger-extension.ts";

/** Says in the row of a server what the browser extension did with its code, or that the extension is missing. */
export function ExtensionAnswer({
  outcome,
  isForComputers,
}: {
  outcome: ExtensionOutcome | null;
  /** The tool does not work on a phone, so that Show code is no help there. */
  isForComputers: boolean;
}) {
  const isBlocked = outcome?.kind === "answered" && outcome.blocked;
  return (
    <>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {isBlocked ? `Extension usage blocked: ${outcome.message}` : null}
      </p>
      <div role="status" className="mt-2 text-pretty text-sm empty:hidden">
        {outcome === null ? null : <Answer outcome={outcome} isForComputers={isForComputers} />}
      </div>
    </>
  );
}

function Answer({ outcome, isForComputers }: { outcome: ExtensionOutcome; isForComputers: boolean }) {
  if (outcome.kind === "answered" && outcome.blocked) {
    return (
      <p>
        If you have reached the limit of devices, release one{" "}
        <TextLink>
          <Link to="/dashboard#devices">on your dashboard</Link>
        </TextLink>
        . Show code works without the extension.
      </p>
    );
  }
  if (outcome.kind === "answered") {
    return <p className="text-green">{outcome.message || "The extension has the code."}</p>;
  }
  if (outcome.kind === "impossible") {
    return (
      <p>
        Click needs the browser extension, which isn’t available on phones and tablets.
        {isForComputers ? null : " Show code works without it."}
      </p>
    );
  }
  return (
    <p>
      Click needs the browser extension, and it did not answer.{" "}
      <span className="max-sm:hidden pointer-coarse:hidden">
        Get it{" "}
        <TextLink>
          <Link to="/dashboard#extension">on your dashboard</Link>
        </TextLink>
        , or download it{" "}
        <TextLink>
          <a href="/downloads/daypass-chrome.zip">for Chrome</a>
        </TextLink>{" "}
        or{" "}
        <TextLink>
          <a href="/downloads/daypass-firefox.zip">for Firefox</a>
        </TextLink>
        .{" "}
      </span>
      Show code works without it.
    </p>
  );
}

function TextLink({ children }: { children: ReactNode }) {
  return <span className="[&>a]:text-accent [&>a]:underline [&>a]:underline-offset-4">{children}</span>;
}
