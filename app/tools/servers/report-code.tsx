import Flag from "lucide-react/icons/flag";
import { useState } from "react";
import { useRevalidator } from "react-router";
import { formatTime } from "#core/time.ts";
import { Spinner } from "../../ui/button.tsx";
import { sendReport, ToolRequestError } from "../post-tool-request.ts";
import type { Server, ServerPage } from "./use-server-code.ts";

interface ReportCodeProps {
  server: Server;
  page: ServerPage;
  /** Of the element with the server's name. */
  nameId: string;
  otherServer: string | null;
}

/** Reports that the code of a server does not work, or says when it was reported and what to do meanwhile. */
export function ReportCode({ server, page, nameId, otherServer }: ReportCodeProps) {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { revalidate } = useRevalidator();
  const { reportedAt } = server;

  async function report() {
    setSending(true);
    setError(null);
    try {
      await sendReport(page.slug, server.id);
    } catch (failure) {
      if (!(failure instanceof ToolRequestError)) throw failure;
      setError(failure.message);
    }
    // The page's data says when the code was reported; after a refusal it may have changed too.
    await revalidate();
    setSending(false);
  }
  return (
    <div className="-mb-3 text-muted text-sm sm:-mb-2">
      <p role="status" className="py-2 empty:hidden">
        {reportedAt === null ? null : reportText(reportedAt, page.timeZone, otherServer)}
      </p>
      {reportedAt === null ? (
        <button
          type="button"
          aria-disabled={isSending || undefined}
          aria-busy={isSending || undefined}
          aria-describedby={nameId}
          className="inline-flex min-h-11 items-center gap-2 rounded-sm text-xs underline decoration-line underline-offset-4 hover:text-ink hover:decoration-current aria-disabled:cursor-progress sm:min-h-8"
          onClick={isSending ? undefined : () => void report()}
        >
          {isSending ? <Spinner className="size-3" /> : <Flag className="size-3.5" aria-hidden="true" />}
          This code does not work
        </button>
      ) : null}
      <p role="alert" className="text-red empty:hidden">
        {error}
      </p>
    </div>
  );
}

function reportText(reportedAt: Date, timeZone: string, otherServer: string | null): string {
  const advice = otherServer === null ? "Please contact support." : `Try ${otherServer} meanwhile.`;
  return `Reported at ${formatTime(reportedAt, timeZone)}, the owner has been told. ${advice}`;
}
