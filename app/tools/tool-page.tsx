import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/tool-page";
import { loadToolPage } from "./load-tool-page.server.ts";
import { HUMANIZER_SLUG } from "./page-path.ts";
import { toolPageHeaders } from "./tool-page-headers.server.ts";
import { toolPageMeta } from "./tool-page-meta.ts";
import { ToolScreen } from "./tool-screen.tsx";

export const headers = toolPageHeaders;

export const meta: Route.MetaFunction = ({ loaderData }) => toolPageMeta(loaderData?.page);

/** Without a name in the address it is the humanizer's page, which has an address of its own. */
export function loader({ url, params, context }: Route.LoaderArgs) {
  return loadToolPage(context.get(shopContext), url, params.slug ?? HUMANIZER_SLUG);
}

/** The page of any tool that has none of its own making. */
export default function ToolPage({ loaderData }: Route.ComponentProps) {
  return <ToolScreen {...loaderData} />;
}
