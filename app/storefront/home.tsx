import { Suspense } from "react";
import { type CatalogueCard, listActiveTools } from "#core/catalog/list-active-tools.server.ts";
import { GiveawayPopup } from "../giveaway/giveaway-popup.tsx";
import { useLive } from "../live/use-live.ts";
import { readAccess } from "../middleware/page-reader.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import { useShared } from "../use-shared.ts";
import type { Route } from "./+types/home";
import { About } from "./about.tsx";
import { ToolCatalogue } from "./catalogue/tool-catalogue.tsx";
import { useChooseTool } from "./catalogue/use-choose-tool.ts";
import { ChannelPromo } from "./channel-promo.tsx";
import { DemoVideo } from "./demo-video.tsx";
import { FloatingChat } from "./floating-chat.tsx";
import { Hero } from "./hero.tsx";
import { pageMeta, productData, structuredData } from "./seo/page-meta.ts";
import { SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [tools, accessUntil] = await Promise.all([listActiveTools(ctx), readAccess(ctx)]);
  return { tools, accessUntil };
}

export const meta: Route.MetaFunction = ({ loaderData, matches }) => {
  const shared = matches[1].loaderData;
  if (!shared) return [];
  return [
    ...pageMeta(shared, {
      title: `${shared.store.name} · Premium tools, for just the days you need`,
      description:
        "Buy a pass for a premium tool for a week, a month or longer. Pay by UPI and open it right away.",
      path: "/",
    }),
    // Search engines are visitors, and the list is a quarter of the page.
    ...(shared.user === null ? [structuredData(productList(shared.origin, loaderData?.tools ?? []))] : []),
  ];
};

function productList(origin: string, tools: readonly CatalogueCard[]): object {
  return {
    "@type": "ItemList",
    itemListElement: tools.map((tool, at) => ({
      "@type": "ListItem",
      position: at + 1,
      item: productData(origin, tool),
    })),
  };
}

export default function Home({ loaderData: { tools, accessUntil } }: Route.ComponentProps) {
  const { store } = useShared();
  const chooseTool = useChooseTool(tools);
  useLive(["stock"]);
  return (
    <>
      <SiteHeader scrollsAwayOnPhones />
      <main id="content" tabIndex={-1} className="mx-auto flex max-w-page flex-col px-4 outline-none sm:px-6">
        <Hero />
        <ToolCatalogue tools={tools} accessUntil={accessUntil} onChoose={chooseTool} />
        <div className="flex flex-col gap-10 py-12 sm:py-16">
          <Suspense>
            {store.dealsChannel ? <ChannelPromo channel={store.dealsChannel} /> : null}
            {store.demoVideoUrl ? <DemoVideo url={store.demoVideoUrl} /> : null}
            <About name={store.name} claims={store.claims} />
          </Suspense>
        </div>
      </main>
      <SiteFooter />
      {store.supportChatUrl ? <FloatingChat url={store.supportChatUrl} /> : null}
      <GiveawayPopup />
    </>
  );
}
