import type { LiveStatus } from "./live-client.ts";

const TEXTS: Readonly<Record<LiveStatus, string>> = {
  connecting: "Connecting…",
  live: "Live",
  reconnecting: "Reconnecting…",
};

/** Whether the page shows changes by itself. The dot is filled only while it does, so that colour is not the only sign. */
export function LiveIndicator({ status }: { status: LiveStatus }) {
  const isLive = status === "live";
  return (
    <output
      aria-live="polite"
      className={`${isLive ? "text-green" : "text-muted"} inline-flex items-center gap-1.5 whitespace-nowrap font-medium text-xs`}
    >
      <span
        aria-hidden="true"
        className={`${isLive ? "border-green bg-green" : "border-yellow"} size-2 shrink-0 rounded-full border-2`}
      />
      <span>{TEXTS[status]}</span>
    </output>
  );
}
