import { useState } from "react";
import { Card } from "../ui/card.tsx";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { useBackStep } from "../ui/dialogs/use-back-step.ts";
import { Icon, PLAY } from "./icons.tsx";

const loadOverlay = () => import("./video-overlay.tsx").then(({ VideoOverlay }) => VideoOverlay);

/** The area of the button is the whole card. */
const WHOLE_CARD = "mt-1 font-semibold text-accent after:absolute after:inset-0 after:rounded-ticket";

/** Opens the demo video over the whole screen. Nothing is loaded from its host before that. */
export function DemoVideo({ url }: { url: string }) {
  const [open, setOpen] = useState(false);
  const [needed, setNeeded] = useState(false);
  useBackStep(open ? "open" : "closed", () => setOpen(false));
  return (
    <section aria-labelledby="video-title">
      <Card className="relative flex flex-wrap items-center gap-5 p-5 hover:border-field sm:p-8">
        <span className="inline-flex size-14 shrink-0 items-center justify-center rounded-full bg-marigold text-on-marigold sm:size-20">
          <Icon shape={PLAY} className="ml-1 size-6 fill-current sm:size-8" />
        </span>
        <div className="min-w-0 flex-[1_1_8rem]">
          <h2 id="video-title" className="text-lg">
            See how it works
          </h2>
          <p className="text-muted">From picking a tool to opening it, in one short video.</p>
          <button
            type="button"
            onClick={() => {
              setNeeded(true);
              setOpen(true);
            }}
            className={WHOLE_CARD}
          >
            Watch the demo video
          </button>
          <noscript>
            <a href={url} className={WHOLE_CARD}>
              Watch the demo video
            </a>
          </noscript>
        </div>
      </Card>
      {needed ? (
        <LazyDialog
          load={loadOverlay}
          props={{ url, open, onOpenChange: setOpen }}
          open={open}
          onGiveUp={() => {
            setNeeded(false);
            setOpen(false);
          }}
        />
      ) : null}
    </section>
  );
}
