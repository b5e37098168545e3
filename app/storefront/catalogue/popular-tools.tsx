import { useNavigate } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { pagePath } from "../../tools/page-path.ts";
import { Button, NoScriptsLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { langOf, t } from "../../ui/texts/texts.ts";
import { WorksOnIcons } from "../offer/works-on.tsx";
import { ToolLogo } from "../tool-logo.tsx";
import { shopPath } from "./catalogue-params.ts";
import { ToolCardPrice } from "./tool-card.tsx";

interface PopularToolsProps {
  /** In their order. */
  tools: readonly CatalogueCard[];
  accessUntil: ReadonlyMap<string, Date>;
  onChoose: (tool: CatalogueCard) => void;
}

const WHOLE_TICKET = "whole-ticket min-w-28";

/** The popular tools as small tickets, before the catalogue, which has them again in full. */
export function PopularTools({ tools, accessUntil, onChoose }: PopularToolsProps) {
  return (
    <section aria-labelledby="popular-title" className="pt-2 sm:pt-0">
      <h2 id="popular-title" className="text-base">
        {t("Popular")}
      </h2>
      <ul
        aria-labelledby="popular-title"
        className="mt-2 grid gap-2 sm:mt-3 min-[56rem]:auto-cols-fr min-[56rem]:grid-flow-col min-[56rem]:gap-5"
      >
        {tools.map((tool) => (
          <li key={tool.slug}>
            <PopularTool tool={tool} hasPass={accessUntil.has(tool.slug)} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Without a heading of its own: the catalogue has the tool's. */
function PopularTool({
  tool,
  hasPass,
  onChoose,
}: {
  tool: CatalogueCard;
  hasPass: boolean;
  onChoose: (tool: CatalogueCard) => void;
}) {
  const navigate = useNavigate();
  const { slug, name, description, worksOn, contactOnly } = tool;
  const variant = tool.popularPlace === 1 ? "strong" : "soft";
  const label = hasPass ? t("Open pass") : contactOnly ? t("Contact") : t("Get access");
  return (
    <Card className="tool-ticket">
      <div className="tool-head flex-1 content-center px-3 py-2 sm:p-4">
        <ToolLogo name={name} className="" />
        <span lang={langOf(name)} className="font-semibold text-base leading-snug tracking-tight">
          {name}
        </span>
        <span lang={langOf(description)} className="line-clamp-2 text-muted text-xs">
          {description}
        </span>
      </div>
      <div className="perforation" />
      <div className="tool-lower sm:px-4 sm:py-3">
        <span>
          <ToolCardPrice tool={tool} />
          <WorksOnIcons places={worksOn} />
        </span>
        <Button
          variant={variant}
          className={WHOLE_TICKET}
          // Other than on the card of the tool, which the page has too.
          aria-label={`${label}: ${name}`}
          onClick={() => (hasPass ? void navigate(pagePath(slug)) : onChoose(tool))}
        >
          {label}
        </Button>
        <NoScriptsLink
          href={shopPath(slug)}
          label={t("View {tool}", { tool: name })}
          variant={variant}
          className={WHOLE_TICKET}
        >
          {t("View")}
        </NoScriptsLink>
      </div>
    </Card>
  );
}
