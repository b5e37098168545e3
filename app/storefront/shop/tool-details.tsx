import type { ReactNode } from "react";
import { Link } from "react-router";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";
import { Badge } from "../../ui/badge.tsx";
import { catalogueAddress, categoryLabel } from "../catalogue/catalogue-params.ts";
import { Icon } from "../icons.tsx";
import { WorksOn } from "../offer/works-on.tsx";
import { ToolLogo } from "../tool-logo.tsx";

const ARROW_LEFT = "m12 19-7-7 7-7M19 12H5";
const CHECK = "M20 6 9 17l-5-5";

const STEPS = [
  ["Pay once", "By UPI or card. There is no subscription to cancel."],
  ["Open it at once", "Your pass is on your dashboard as soon as the payment is confirmed."],
  ["It ends by itself", "Nothing renews and nothing is charged again."],
];

/** What a tool is. The children, its price, come second on phones and stand to the right on wide screens. */
export function ToolDetails({ tool, children }: { tool: CatalogueCard; children: ReactNode }) {
  const category = tool.category.toLowerCase();
  return (
    <>
      <div className="min-w-0 lg:col-start-1">
        <Link
          to={catalogueAddress({ query: "", category })}
          className="-ml-1 inline-flex min-h-11 items-center gap-1.5 rounded-control px-1 text-muted hover:text-ink"
        >
          <Icon shape={ARROW_LEFT} className="size-4" />
          {categoryLabel(category)}
        </Link>
        <div className="mt-2 flex items-center gap-4">
          <ToolLogo name={tool.name} className="size-12 text-lg sm:size-16 sm:text-xl" />
          <div className="min-w-0">
            <h1 className="text-xl sm:text-2xl">{tool.name}</h1>
            {tool.badge ? <Badge>{tool.badge}</Badge> : null}
          </div>
        </div>
        <p className="mt-4 max-w-prose whitespace-pre-line text-base">{tool.description}</p>
        <WorksOn places={tool.worksOn} className="mt-4" />
      </div>
      <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1">
        <div className="lg:sticky lg:top-22">{children}</div>
      </div>
      <div className="flex min-w-0 flex-col gap-8 lg:col-start-1">
        {tool.features.length === 0 ? null : (
          <section aria-labelledby="features-title">
            <h2 id="features-title" className="text-lg">
              What you get
            </h2>
            <ul className="mt-3 grid gap-x-6 gap-y-2 sm:grid-cols-2">
              {tool.features.map((feature) => (
                <li key={feature} className="flex gap-2.5">
                  <Icon shape={CHECK} bold className="mt-1 size-4 shrink-0 text-green" />
                  {feature}
                </li>
              ))}
            </ul>
          </section>
        )}
        {tool.contactOnly || tool.pricePaise === 0 ? null : (
          <section aria-labelledby="steps-title">
            <h2 id="steps-title" className="text-lg">
              How a pass works
            </h2>
            <ol className="mt-3 grid gap-4 sm:grid-cols-3">
              {STEPS.map(([title, text]) => (
                <li key={title} className="border-marigold border-l-2 pl-4">
                  <p className="font-semibold">{title}</p>
                  <p className="text-muted">{text}</p>
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </>
  );
}
