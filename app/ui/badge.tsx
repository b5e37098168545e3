import type { ReactNode } from "react";

const TONES = {
  neutral: "border-line text-muted",
  warning: "border-warning bg-warning text-on-marigold",
  green: "border-green/30 bg-green/10 text-green",
  yellow: "border-yellow/30 bg-yellow/10 text-yellow",
  red: "border-red/30 bg-red/10 text-red",
};

export type BadgeTone = keyof typeof TONES;

/** One or two words about a state. The colour repeats their meaning. */
export function Badge({ tone = "neutral", children }: { tone?: BadgeTone; children: ReactNode }) {
  return (
    <span
      className={`${TONES[tone]} wrap-normal inline-flex max-w-full shrink-0 items-center gap-1 rounded-full border px-2 py-px font-medium text-xs`}
    >
      {children}
    </span>
  );
}

/** Whether something is active. */
export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? "green" : "red"}>{isActive ? "Active" : "Inactive"}</Badge>;
}
