import Copy from "lucide-react/icons/copy";
import ExternalLink from "lucide-react/icons/external-link";
import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../ui/button.tsx";
import { buttonClasses } from "../ui/class-names.ts";
import { withStorage } from "../ui/optional-interfaces.ts";
import { LiveRegion } from "../ui/text.tsx";
import { t } from "../ui/texts/texts.ts";
import { fetchCredential } from "./post-tool-request.ts";
import { ShownValue } from "./shown-value.tsx";
import { copyValue, useReveal } from "./use-reveal.ts";

interface ToolCredentialsProps {
  slug: string;
  toolName: string;
  /** The tool's own sign-in page; null: the owner gave none. */
  launchUrl: string | null;
  /** The version of the sign-in that the tool has now; null while it has none. */
  version: string | null;
}

/** The shared sign-in of a tool: its sign-in page, and buttons that copy the e-mail address and the password. */
export function ToolCredentials({ slug, toolName, launchUrl, version }: ToolCredentialsProps) {
  const headingId = useId();
  return (
    <section className="perforation flex flex-col gap-3 p-4 sm:p-5" aria-labelledby={headingId}>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h2 id={headingId} className="text-base">
          {t("Tool Credentials")}
        </h2>
        {launchUrl === null ? null : (
          <a
            href={launchUrl}
            target="_blank"
            rel="noopener noreferrer"
            className={buttonClasses({ variant: "plain" })}
          >
            <span>{t("Login")}</span>
            <ExternalLink className="size-4" aria-hidden="true" />
          </a>
        )}
      </div>
      {version === null ? (
        <p className="text-muted text-sm">
          {t("There is no email or password for {tool} right now. Please contact support.", {
            tool: toolName,
          })}
        </p>
      ) : (
        <div className="flex flex-wrap items-start gap-2">
          <Field slug={slug} toolName={toolName} version={version} field="email" />
          <Field slug={slug} toolName={toolName} version={version} field="password" />
        </div>
      )}
    </section>
  );
}

interface FieldProps {
  slug: string;
  toolName: string;
  version: string;
  field: CredentialField;
}

function Field({ slug, toolName, version, field }: FieldProps) {
  const button = useRef<HTMLButtonElement>(null);
  const { state, copy, reset, changedSinceCopied } = useCredentialField({ slug, field, version });
  return (
    // The panel with the value takes the whole width; the button alone does not.
    <div className="has-[textarea]:w-full max-sm:grow">
      <Button
        ref={button}
        variant={field === "email" ? "strong" : "plain"}
        busy={state.kind === "fetching"}
        className="max-sm:w-full max-sm:px-2 sm:min-w-40"
        data-sound={state.kind === "copied" ? "success" : undefined}
        onClick={() => void copy()}
      >
        {state.kind === "idle" ? <Copy className="size-4 max-sm:hidden" aria-hidden="true" /> : null}
        <span>{t(state.kind === "copied" ? "Copied!" : COPY_LABELS[field])}</span>
      </Button>
      <p role="status" className="mt-1 max-w-40 text-xs text-yellow empty:hidden">
        {changedSinceCopied ? t("Changed since you last copied") : null}
      </p>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {state.kind === "refused" ? state.message : null}
      </p>
      <LiveRegion
        message={
          state.kind === "copied"
            ? t("The {noun} of {tool} was copied", { noun: t(field), tool: toolName })
            : ""
        }
      />
      {state.kind === "shown" ? (
        <ShownValue
          key={state.value}
          value={state.value}
          noun={field}
          owner={toolName}
          requested={false}
          canHide
          returnFocusTo={button}
          onHide={reset}
        />
      ) : null}
    </div>
  );
}

const COPIED_LABEL_MS = 1600;
const COPY_LABELS = { email: "Copy email", password: "Copy password" } as const;

type CredentialField = "email" | "password";

interface CredentialFieldOptions {
  slug: string;
  field: CredentialField;
  /** The version of the sign-in in the page's data. */
  version: string;
}

/** Copies the e-mail address or the password of a tool, and tells whether it has changed since this browser copied it. */
function useCredentialField({ slug, field, version }: CredentialFieldOptions) {
  /** What this browser copied before the page was opened. */
  const [copiedBefore, setCopiedBefore] = useState<string | null>(null);
  useEffect(() => setCopiedBefore(readCopiedVersion(slug, field)), [slug, field]);
  const reveal = useReveal({
    fetchValue: () => fetchCredential(slug, field),
    copyValue,
    copiedLabelMs: COPIED_LABEL_MS,
    pageVersion: version,
    onRevealed: (copied) => rememberCopiedVersion(slug, field, copied),
  });
  const changedBefore = copiedBefore !== null && copiedBefore !== version;
  return { ...reveal, changedSinceCopied: reveal.hasSeen ? reveal.isChanged : changedBefore };
}

/*
 * Which version of a tool's sign-in this browser last copied. Only the version is stored, which says nothing about the
 * e-mail address and the password.
 */

const keyOf = (slug: string, field: "email" | "password") => `daypass.copied.${slug}.${field}`;

/** null: this browser has copied none, or cannot store anything. */
function readCopiedVersion(slug: string, field: "email" | "password"): string | null {
  return withStorage("local", (storage) => storage.getItem(keyOf(slug, field)));
}

function rememberCopiedVersion(slug: string, field: "email" | "password", version: string): void {
  // Without storage a change is noticed only while the page is open.
  withStorage("local", (storage) => storage.setItem(keyOf(slug, field), version));
}
