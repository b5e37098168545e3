import ExternalLink from "lucide-react/icons/external-link";
import { formatTimeLeft } from "#core/time.ts";
import { DateOnly } from "../date-time.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { buttonClasses } from "../ui/class-names.ts";
import { TimeLeft } from "../ui/time/time-text.tsx";

interface ToolHeaderProps {
  name: string;
  /** Where the tool itself is; null: the owner gave no address. */
  launchUrl: string | null;
  /** null: access without an end. */
  expiresAt: Date | null;
  now: Date;
}

/** The header of every tool page: the tool's name, the time left of the pass, and the way to the tool. */
export function ToolHeader({ name, launchUrl, expiresAt, now }: ToolHeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-3">
      <ToolLogo name={name} />
      <div className="min-w-0 grow basis-[min-content]">
        <h1 className="text-xl">{name}</h1>
        {expiresAt === null ? null : (
          <p className="mt-1 text-muted">
            Ends <DateOnly date={expiresAt} /> ·{" "}
            <TimeLeft until={expiresAt} now={now} format={formatTimeLeft} /> left
          </p>
        )}
      </div>
      {launchUrl === null ? null : (
        <a
          href={launchUrl}
          target="_blank"
          rel="noopener noreferrer"
          className={buttonClasses({ variant: "plain" })}
        >
          Open {name}
          <ExternalLink className="size-4" aria-hidden="true" />
        </a>
      )}
    </header>
  );
}
