import type { ReactNode } from "react";

const TONES = {
  info: "border-line bg-card text-ink",
  success: "border-green/30 bg-green/10 text-green",
  warning: "border-warning/60 bg-warning/15 text-ink",
  error: "border-red/30 bg-red/10 text-red",
};

interface BannerProps {
  tone?: keyof typeof TONES;
  /**
   * A page that is loaded with the banner begins at it, because screen readers announce no message that is there from the
   * start. With scripts it moves no focus: React focuses fields only.
   */
  startsPage?: boolean;
  children: ReactNode;
}

/** A message within the page. Errors interrupt a screen reader; other messages wait for a pause. */
export function Banner({ tone = "info", startsPage = false, children }: BannerProps) {
  return (
    <div
      {...(startsPage && { tabIndex: -1, autoFocus: true })}
      role={tone === "error" ? "alert" : "status"}
      data-sound={tone === "success" ? "success" : undefined}
      className={`${TONES[tone]} rounded-control border px-4 py-3 text-sm`}
    >
      {children}
    </div>
  );
}
