import { Card } from "../ui/card.tsx";
import { buttonClasses } from "../ui/class-names.ts";
import { Icon, MEGAPHONE } from "./icons.tsx";

/** A link to the deals channel. */
export function ChannelPromo({ channel }: { channel: { label: string; url: string } }) {
  return (
    <Card className="flex flex-col gap-4 p-5 sm:flex-row sm:items-center">
      <span className="inline-flex size-11 shrink-0 items-center justify-center rounded-control bg-marigold text-on-marigold">
        <Icon shape={MEGAPHONE} className="size-5" />
      </span>
      <div className="flex-1">
        <h2 className="text-base">New deals, first in our channel</h2>
        <p className="text-muted">Price drops and fresh stock are announced there before they show here.</p>
      </div>
      <a href={channel.url} target="_blank" rel="noreferrer" className={buttonClasses({})}>
        {channel.label}
      </a>
    </Card>
  );
}
