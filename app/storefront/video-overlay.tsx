import { FullScreenDialog } from "../ui/dialogs/full-screen-dialog.tsx";
import { toVideoEmbed } from "./video-embed.ts";

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
          allowFullScreen
          className="size-full border-0"
        />
      )}
    </FullScreenDialog>
  );
}
