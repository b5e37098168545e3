import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/chat-assistant";
import { loadToolPage } from "./load-tool-page.server.ts";
import { CHAT_ASSISTANT_SLUG } from "./page-path.ts";
import { toolPageHeaders } from "./tool-page-headers.server.ts";
import { toolPageMeta } from "./tool-page-meta.ts";
import { ToolScreen } from "./tool-screen.tsx";

export const headers = toolPageHeaders;

export const meta: Route.MetaFunction = ({ loaderData }) => toolPageMeta(loaderData?.page);

export function loader({ url, context }: Route.LoaderArgs) {
  return loadToolPage(context.get(shopContext), url, CHAT_ASSISTANT_SLUG);
}

/** The chat assistant's page. */
export default function ChatAssistant({ loaderData }: Route.ComponentProps) {
  return <ToolScreen {...loaderData} />;
}
