import { useEffect, useState } from "react";
import { copyValue } from "../copy-value.ts";
import { fetchCredential } from "../post-tool-request.ts";
import { useReveal } from "../use-reveal.ts";
import { readCopiedVersion, rememberCopiedVersion } from "./copied-version.ts";

const COPIED_LABEL_MS = 1600;

export type CredentialField = "email" | "password";

interface CredentialFieldOptions {
  slug: string;
  field: CredentialField;
  /** Of the sign-in that the page's data has. */
  version: string;
}

/** Copies the e-mail address or the password of a tool, and tells whether it has changed since this browser copied it. */
export function useCredentialField({ slug, field, version }: CredentialFieldOptions) {
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
