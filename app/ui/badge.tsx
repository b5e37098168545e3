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

interface ActiveBadgeProps {
  isActive: boolean;
  /** Phones show only what is inactive. */
  isShort?: boolean;
}

/** Whether something is active. */
export function ActiveBadge({ isActive, isShort = false }: ActiveBadgeProps) {
  const badge = <Badge tone={isActive ? "green" : "red"}>{isActive ? "Active" : "Inactive"}</Badge>;
  return isShort && isActive ? <span className="max-[720px]:hidden">{badge}</span> : badge;
}
