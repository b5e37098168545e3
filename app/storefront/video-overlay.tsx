import { Dialog as Base } from "@base-ui/react/dialog";
import X from "lucide-react/icons/x";
import { OWN_VIDEO } from "#core/catalog/limits.ts";
import { useGivesWay } from "../ui/dialogs/give-way.ts";
import { t } from "../ui/texts/texts.ts";

interface VideoOverlayProps {
  url: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The demo video over the whole screen. */
export function VideoOverlay({ url, open, onOpenChange }: VideoOverlayProps) {
  const embed = toVideoEmbed(url);
  useGivesWay(open, () => onOpenChange(false));
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Popup className="dialog-backdrop fixed inset-0 z-50 flex flex-col bg-[#0f1115] text-[#f3f1ec] outline-none">
          <div className="flex justify-end p-2">
            <Base.Title className="sr-only">{t("Demo video")}</Base.Title>
            <Base.Close
              aria-label={t("Close")}
              title={t("Close")}
              className="inline-flex size-11 items-center justify-center rounded-control hover:bg-[#f3f1ec]/10"
            >
              <X className="size-6" aria-hidden="true" />
            </Base.Close>
          </div>
          <div className="min-h-0 flex-1 px-4 pb-4">
            {embed.kind === "file" ? (
              // There is no caption file for the owner's link.
              <video src={embed.url} controls autoPlay playsInline muted className="size-full" />
            ) : (
              <iframe
                src={embed.url}
                title={t("Demo video")}
                allow="autoplay; fullscreen; picture-in-picture"
                className="size-full border-0"
              />
            )}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** How a video is shown: a file in the browser's own player, any other link in a frame. */
export type VideoEmbed = { kind: "file" | "frame"; url: string };

/** Converts the link of a video page into the link that may be framed, on the same host. */
export function toVideoEmbed(link: string): VideoEmbed {
  if (link === OWN_VIDEO) return { kind: "file", url: link };
  const url = new URL(link);
  if (/\.(?:mp4|webm|ogv)$/i.test(url.pathname)) return { kind: "file", url: url.href };
  const id = findVideoId(url);
  return {
    kind: "frame",
    url: id === null ? url.href : `${url.origin}/embed/${encodeURIComponent(id)}?autoplay=1`,
  };
}

function findVideoId(url: URL): string | null {
  if (!/(?:^|\.)youtube(?:-nocookie)?\.com$/.test(url.hostname)) return null;
  if (url.pathname === "/watch") return url.searchParams.get("v");
  return /^\/shorts\/([\w-]+)/.exec(url.pathname)?.[1] ?? null;
}
