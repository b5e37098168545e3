import { errorMeta } from "../error-page.tsx";
import { shopContext } from "../middleware/request-context.ts";
import type { Route } from "./+types/chat-assistant";
import { loadToolPage, toolPageHeaders } from "./load-tool-page.server.ts";
import { CHAT_ASSISTANT_SLUG } from "./page-path.ts";
import { ToolPageError } from "./tool-page-error.tsx";
import { ToolScreen, toolPageMeta } from "./tool-screen.tsx";

export const headers = toolPageHeaders;

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) =>
  loaderData ? toolPageMeta(loaderData.page, matches[1].loaderData) : errorMeta(error);

export function loader({ url, context }: Route.LoaderArgs) {
  return loadToolPage(context.get(shopContext), url, CHAT_ASSISTANT_SLUG);
}

/** The tool page of the chat assistant. */
export default function ChatAssistant({ loaderData }: Route.ComponentProps) {
  return <ToolScreen {...loaderData} />;
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return <ToolPageError error={error} />;
}
