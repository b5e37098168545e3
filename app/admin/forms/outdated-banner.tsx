import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";

const BANNER_ID = "outdated";

interface OutdatedBannerProps {
  /** Fills the form with the record as it is now; null while the page does not have it. */
  onShowTheirs: (() => void) | null;
}

/** Above a form whose record somebody else has changed. What is typed stays until the button is pressed. */
export function OutdatedBanner({ onShowTheirs }: OutdatedBannerProps) {
  return (
    <Banner tone="warning">
      <div
        id={BANNER_ID}
        tabIndex={-1}
        className="flex scroll-my-8 outline-none flex-wrap items-center justify-between gap-3"
      >
        <p>
          Someone else has changed this in the meantime, so your changes can no longer be saved. What you
          typed is still here: copy what you need.
        </p>
        {onShowTheirs === null ? null : (
          <Button size="small" onClick={onShowTheirs}>
            Discard Mine and Show Theirs
          </Button>
        )}
      </div>
    </Banner>
  );
}

/** Moves to the banner, which may be far from the button that saves. */
export function showOutdatedBanner(): void {
  document.getElementById(BANNER_ID)?.focus();
}

/** The present record, if somebody has changed it since the form was opened with `opened`. */
export function newerOf<Row extends { version: number }>(
  opened: Row | null,
  current: Row | null,
): Row | null {
  return opened === null || current === null || current.version === opened.version ? null : current;
}
