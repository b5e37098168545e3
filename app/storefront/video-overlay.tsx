import { FullScreenDialog } from "../ui/dialogs/full-screen-dialog.tsx";

interface VideoOverlayProps {
  url: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The demo video over the whole screen. */
export function VideoOverlay({ url, open, onOpenChange }: VideoOverlayProps) {
  const embed = toVideoEmbed(url);
  return (
    <FullScreenDialog open={open} onOpenChange={onOpenChange} title="Demo video">
      {embed.kind === "file" ? (
        // There is no caption file for the owner's link.
        <video src={embed.url} controls autoPlay className="size-full" />
      ) : (
        <iframe
          src={embed.url}
          title="Demo video"
          allow="autoplay; fullscreen; picture-in-picture"
          className="size-full border-0"
        />
      )}
    </FullScreenDialog>
  );
}

/** How a video is shown: a file in the browser's own player, any other link in a frame. */
export type VideoEmbed = { kind: "file" | "frame"; url: string };

/** Converts the link of a video page into the one that may be framed, on the same host. */
export function toVideoEmbed(link: string): VideoEmbed {
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
