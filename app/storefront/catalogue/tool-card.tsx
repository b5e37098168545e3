import Check from "lucide-react/icons/check";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { ToolLogo } from "../tool-logo.tsx";
import { decideCardAction } from "./card-action.ts";
import { ToolCardButton } from "./tool-card-button.tsx";
import { ToolCardPrice } from "./tool-card-price.tsx";

const FEATURES_SHOWN = 4;

/** A tool in the catalogue. The area of its button is the whole card. */
export function ToolCard({
  tool,
  accessUntil,
  onChoose,
}: {
  tool: CatalogueCard;
  /** The end of the buyer's active pass for the tool; null without one. */
  accessUntil: Date | null;
  onChoose: (tool: CatalogueCard) => void;
}) {
  const action = decideCardAction(tool);
  const available = action !== "none" || accessUntil !== null;
  const more = tool.features.length - FEATURES_SHOWN;
  return (
    <Card
      className={`group @container relative flex h-full flex-col transition-[border-color,transform] duration-150 ${
        available ? "hover:border-field motion-safe:hover:-translate-y-0.5" : "bg-card/60"
      }`}
    >
      {tool.badge ? (
        <span className="-translate-y-1/2 absolute top-0 right-4 rounded-full border border-line bg-card px-2.5 font-medium text-muted text-xs">
          {tool.badge}
        </span>
      ) : null}
      <div className="flex flex-1 flex-col gap-4 p-5 pb-4">
        <div className={`flex flex-wrap items-center gap-3 ${available ? "" : "grayscale"}`}>
          <ToolLogo name={tool.name} />
          <h3 className="min-w-0 grow basis-[min-content] text-base leading-snug">{tool.name}</h3>
        </div>
        <p className="@min-[16rem]:line-clamp-2 text-muted">{firstSentence(tool.description)}</p>
        <ul className="flex flex-col gap-1.5">
          {tool.features.slice(0, FEATURES_SHOWN).map((feature) => (
            <li key={feature} className="flex gap-2">
              <Check aria-hidden="true" className="mt-1 size-3.5 shrink-0 text-muted" strokeWidth={2.5} />
              <span>{feature}</span>
            </li>
          ))}
          {more > 0 ? <li className="pl-5.5 text-muted text-xs">+{more} more features</li> : null}
        </ul>
      </div>
      {/* Not around the button, because a positioned ancestor would keep the button's area from covering the whole card. */}
      <div className="perforation" />
      <div className="flex flex-col gap-4 p-5 pt-4">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <ToolCardPrice tool={tool} />
          {tool.availableStock > 0 ? <StockBadge stock={tool.availableStock} /> : null}
        </div>
        <ToolCardButton tool={tool} action={action} accessUntil={accessUntil} onChoose={onChoose} />
      </div>
    </Card>
  );
}

function StockBadge({ stock }: { stock: number }) {
  return <Badge tone={stock < 5 ? "marigold" : "neutral"}>{stock} left</Badge>;
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}
