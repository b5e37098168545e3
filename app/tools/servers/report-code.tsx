import Flag from "lucide-react/icons/flag";
import { useEffect, useId, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { HelpLink } from "../../storefront/help-link.tsx";
import { useEnglishName } from "../../storefront/tool-logo.tsx";
import { Button } from "../../ui/button.tsx";
import { t } from "../../ui/texts/texts.ts";
import { sendReport, ToolRequestError } from "../post-tool-request.ts";
import type { Server, ServerPage } from "./use-server-code.ts";

interface ReportCodeProps {
  server: Server;
  page: ServerPage;
  /** The id of the element with the server's name. */
  nameId: string;
  otherServer: string | null;
}

/**
 * Reports that the code of a server does not work, after a question in place; then it says that the code was reported, and
 * what to do meanwhile.
 */
export function ReportCode({ server, page, nameId, otherServer }: ReportCodeProps) {
  const [isAsking, setAsking] = useState(false);
  const { isSending, error, send } = useReport(page.slug, server.id);
  const offerButton = useRef<HTMLButtonElement>(null);
  const question = useRef<HTMLFieldSetElement>(null);
  const reported = useRef<HTMLParagraphElement>(null);
  const { reportedAt } = server;
  const englishName = useEnglishName(page.toolName);
  const wasAsking = useRef(false);

  // The page's data ends the question, and not the response: the button of the question would be back for a moment.
  useEffect(() => {
    if (reportedAt !== null) setAsking(false);
  }, [reportedAt]);
  useEffect(() => {
    if (isAsking) {
      // The question gets the focus, and not its button: a second press of Enter must not send the report.
      question.current?.focus();
    } else if (wasAsking.current && isFocusLost()) {
      (offerButton.current ?? reported.current)?.focus();
    }
    wasAsking.current = isAsking;
  }, [isAsking]);

  return (
    <>
      <p
        ref={reported}
        role="status"
        tabIndex={-1}
        className="mt-3 text-muted text-sm outline-none empty:hidden"
      >
        {reportedAt === null ? null : `${t("Reported.")} ${adviceFor(otherServer)}`}
      </p>
      {reportedAt === null ? null : (
        <div className="-ml-2">
          <HelpLink about={`the code for ${server.name} of ${englishName}, which does not work`} />
        </div>
      )}
      {reportedAt === null && !isAsking ? (
        <button
          ref={offerButton}
          type="button"
          aria-describedby={nameId}
          className="mt-1 -mb-3 inline-flex min-h-11 items-center gap-2 rounded-sm text-muted text-xs underline decoration-line underline-offset-4 hover:text-ink hover:decoration-current sm:-mb-2 sm:min-h-8"
          onClick={() => setAsking(true)}
        >
          <Flag className="size-3.5" aria-hidden="true" />
          <span>{t("This code does not work")}</span>
        </button>
      ) : null}
      {reportedAt === null && isAsking ? (
        <Question
          ref={question}
          nameId={nameId}
          isSending={isSending}
          error={error}
          onReport={() => void send()}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </>
  );
}

interface QuestionProps {
  ref: React.Ref<HTMLFieldSetElement>;
  nameId: string;
  isSending: boolean;
  error: string | null;
  onReport: () => void;
  onCancel: () => void;
}

/** The question before a report is sent. Escape cancels it. */
function Question({ ref, nameId, isSending, error, onReport, onCancel }: QuestionProps) {
  const textId = useId();
  return (
    <fieldset
      ref={ref}
      tabIndex={-1}
      aria-labelledby={`${textId} ${nameId}`}
      className="mt-3 min-w-0 rounded-control border border-line bg-paper p-3 outline-none"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !isSending) onCancel();
      }}
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p id={textId} className="min-w-0 grow basis-60 text-pretty text-sm">
          {t("Report this code? The owner will be told.")}
        </p>
        <div className="ml-auto flex items-center gap-2">
          <Button size="small" variant="quiet" disabled={isSending} onClick={onCancel}>
            {t("Cancel")}
          </Button>
          <Button size="small" variant="plain" busy={isSending} aria-describedby={nameId} onClick={onReport}>
            {t("Report")}
          </Button>
        </div>
      </div>
      <p role="alert" className="mt-2 text-red text-sm empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}

/** Sends a report, at most one at a time. */
function useReport(slug: string, serverId: string) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // A ref, because state updates with the next render: two clicks in one frame would both send.
  const isBusy = useRef(false);
  const { revalidate } = useRevalidator();

  async function send(): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    setSending(true);
    setError(null);
    try {
      await sendReport(slug, serverId);
    } catch (failure) {
      if (!(failure instanceof ToolRequestError)) throw failure;
      setError(failure.message);
    } finally {
      // The page's data says when the code was reported; after a refusal it may have changed too.
      await revalidate();
      isBusy.current = false;
      setSending(false);
    }
  }
  return { isSending, error, send };
}

/** The focused element was removed. */
function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

const adviceFor = (otherServer: string | null) =>
  otherServer === null ? t("Please contact support.") : t("Use {server} for now.", { server: otherServer });
