import { type LoaderFunctionArgs, redirect } from "react-router";
import { startGoogleSignIn } from "#core/accounts/google-sign-in.server.ts";
import { requestInfo, shopContext } from "../../request/request-context.ts";
import { cookieHeaders } from "./form-response.server.ts";
import { googleFailurePage, keepOpener } from "./google-result.server.ts";

/** Sends the browser to Google. `mode`, `attempt` and `returnTo` say where the answer goes. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const ctx = context.get(shopContext);
  const { origin, searchParams } = new URL(request.url);
  const mode = searchParams.get("mode") === "popup" ? "popup" : "page";
  const attemptId = searchParams.get("attempt") ?? "";
  try {
    const returnTo = searchParams.get("returnTo") ?? "/";
    const { url, setCookies } = await startGoogleSignIn(ctx, { mode, attemptId, returnTo }, origin);
    const headers = cookieHeaders(setCookies);
    keepOpener(headers);
    return redirect(url, { headers });
  } catch (error) {
    const { nonce } = context.get(requestInfo);
    // Without the given path: it was not checked.
    const attempt = { mode, attemptId, returnTo: "/" } as const;
    return googleFailurePage(ctx, error, { attempt, nonce, setCookies: [] });
  }
}
