import { listActiveTools } from "#core/catalog/list-active-tools.server.ts";
import type { Context } from "#core/context.ts";
import { listMyPasses } from "#core/entitlements/list-my-passes.server.ts";
import { GiveawayPopup } from "../giveaway/giveaway-popup.tsx";
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
import { SiteFooter } from "./site-footer.tsx";
import { SiteHeader } from "./site-header.tsx";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  const [tools, accessUntil] = await Promise.all([listActiveTools(ctx), readAccess(ctx)]);
  return { tools, accessUntil };
}

/** Until when the actor may open each tool, by its slug. */
async function readAccess(ctx: Context): Promise<Map<string, Date>> {
  if (ctx.actor.kind === "visitor") return new Map();
  const { active } = await listMyPasses(ctx);
  return new Map(
    active.flatMap(({ toolSlug, expiresAt }) => (toolSlug === null ? [] : [[toolSlug, expiresAt]])),
  );
}

export const meta: Route.MetaFunction = ({ matches }) => {
  const name = matches[0].loaderData?.store.name ?? "Daypass";
  return [
    { title: `${name} · Passes to premium tools, by the day` },
    {
      name: "description",
      content: "Buy a pass to a premium tool for a week, a month or longer. Pay by UPI, open it at once.",
    },
  ];
};

export default function Home({ loaderData: { tools, accessUntil } }: Route.ComponentProps) {
  const { store } = useShared();
  const chooseTool = useChooseTool(tools);
  return (
    <>
      <SiteHeader />
      <main id="content" tabIndex={-1} className="mx-auto flex max-w-page flex-col px-4 outline-none sm:px-6">
        <Hero />
        <ToolCatalogue tools={tools} accessUntil={accessUntil} onChoose={chooseTool} />
        <div className="flex flex-col gap-10 py-12 sm:py-16">
          {store.dealsChannel ? <ChannelPromo channel={store.dealsChannel} /> : null}
          {store.demoVideoUrl ? <DemoVideo url={store.demoVideoUrl} /> : null}
          <About name={store.name} claims={store.claims} />
        </div>
      </main>
      <SiteFooter />
      {store.supportChatUrl ? <FloatingChat url={store.supportChatUrl} /> : null}
      <GiveawayPopup />
    </>
  );
}
