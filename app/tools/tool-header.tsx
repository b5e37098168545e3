import ArrowLeft from "lucide-react/icons/arrow-left";
import { useEffect } from "react";
import { Link, useRevalidator } from "react-router";
import { formatDate, formatTimeLeft } from "#core/time.ts";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { DateText, TimeLeft } from "../ui/time/time-text.tsx";
import { useNow } from "../ui/time/use-now.ts";

interface ToolHeaderProps {
  name: string;
  /** null: access without an end. */
  expiresAt: Date | null;
  now: Date;
  timeZone: string;
}

/** The header of every tool page: the tool's name and the time left of the pass. */
export function ToolHeader({ name, expiresAt, now, timeZone }: ToolHeaderProps) {
  return (
    <header className="flex flex-col gap-4">
      <Link
        to="/dashboard"
        className="-ml-2 inline-flex min-h-11 items-center gap-2 self-start rounded-control px-2 text-muted hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        Dashboard
      </Link>
      <div className="flex flex-wrap items-center gap-3">
        <ToolLogo name={name} />
        <div className="min-w-0 grow basis-[min-content]">
          <h1 className="text-xl">{name}</h1>
          {expiresAt === null ? null : <EndOfAccess expiresAt={expiresAt} now={now} timeZone={timeZone} />}
        </div>
      </div>
    </header>
  );
}

function EndOfAccess({ expiresAt, now, timeZone }: { expiresAt: Date; now: Date; timeZone: string }) {
  const { revalidate } = useRevalidator();
  const ended = useNow(now, expiresAt) >= expiresAt;
  // The pass expired while the page was open. Another pass may have started, so the page's data is reloaded.
  useEffect(() => {
    if (ended) void revalidate();
  }, [ended, revalidate]);
  return (
    <p className="mt-1 text-muted">
      {ended ? "Ended" : "Ends"} <DateText date={expiresAt}>{formatDate(expiresAt, timeZone)}</DateText>
      {ended ? null : (
        <>
          {" "}
          · <TimeLeft until={expiresAt} now={now} format={formatTimeLeft} /> left
        </>
      )}
    </p>
  );
}
