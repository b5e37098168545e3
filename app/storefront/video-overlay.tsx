import { FullScreenDialog } from "../ui/dialogs/full-screen-dialog.tsx";
import { videoEmbed } from "./video-embed.ts";

interface VideoOverlayProps {
  url: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The demo video over the whole screen. */
export function VideoOverlay({ url, open, onOpenChange }: VideoOverlayProps) {
  const embed = videoEmbed(url);
  return (
    <FullScreenDialog open={open} onOpenChange={onOpenChange} title="Demo video">
      {embed.kind === "file" ? (
        // The owner's link comes without a caption file.
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
