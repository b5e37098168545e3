import { type LoaderFunctionArgs, redirect } from "react-router";
import { finishGoogleSignIn, readGoogleAttempt } from "#core/accounts/google-sign-in.server.ts";
import { requestInfo, shopContext } from "../../request/request-context.ts";
import { cookieHeaders } from "./form-response.server.ts";
import { googleFailurePage, googleResultPage } from "./google-result.server.ts";

/** Google sends the browser here. Only the browser that has begun the sign-in can use the answer. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const ctx = context.get(shopContext);
  const { nonce } = context.get(requestInfo);
  const begun = readGoogleAttempt(ctx);
  const attempt = begun?.attempt ?? ({ mode: "page", attemptId: "", returnTo: "/" } as const);
  const ended = begun === null ? [] : [begun.setCookie];
  try {
    const { setCookies } = await finishGoogleSignIn(ctx, new URL(request.url));
    const headers = cookieHeaders([...ended, ...setCookies]);
    if (attempt.mode === "page") return redirect(attempt.returnTo, { headers });
    return googleResultPage({ attempt, nonce, result: { ok: true }, headers });
  } catch (error) {
    return googleFailurePage(ctx, error, { attempt, nonce, setCookies: ended });
  }
}
