import type { ReactNode } from "react";

const TONES = {
  neutral: "badge",
  warning: "badge badge-warning",
  green: "badge badge-green",
  yellow: "badge badge-yellow",
  red: "badge badge-red",
};

export type BadgeTone = keyof typeof TONES;

/** One or two words about a state. The colour repeats their meaning. */
export function Badge({ tone = "neutral", children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={TONES[tone]}>{children}</span>;
}

/** Whether something is active. */
export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return <Badge tone={isActive ? "green" : "red"}>{isActive ? "Active" : "Inactive"}</Badge>;
}
