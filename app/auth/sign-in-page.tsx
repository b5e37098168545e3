import { Form, Link, redirect, useLocation, useNavigation } from "react-router";
import { signInWithEmail, signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { Banner } from "../ui/banner.tsx";
import { Button, LinkButton } from "../ui/button.tsx";
import { PasswordInput } from "../ui/forms/password-input.tsx";
import { TextField } from "../ui/forms/text-field.tsx";
import { t } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useShared } from "../use-shared.ts";
import type { Route } from "./+types/sign-in-page";
import {
  cookieHeaders,
  formPageHeaders,
  respondToForm,
  withTypedEmail,
} from "./endpoints/form-response.server.ts";
import { callServerAction, SIGN_IN_FAILED, SIGN_UP_FAILED } from "./forms/auth-form-result.ts";
import { ConfirmedEmail, NEW_PASSWORD_HINT, withSignInLink } from "./forms/credential-fields.tsx";
import { GoogleLink } from "./google/inside-app.tsx";
import { SmallPage } from "./small-page.tsx";
import { TroubleshooterOnPage } from "./troubleshooter/troubleshooter-button.tsx";

/** Two routes share this page, which works without scripts: /sign-in and /sign-up. */
const isSignUp = (path: string) => path.endsWith("sign-up");

const titleOf = (path: string) => t(isSignUp(path) ? "Create account" : "Sign in");

export const meta: Route.MetaFunction = ({ location, matches }) =>
  unlistedPageMeta(matches[1].loaderData, titleOf(location.pathname));

export const headers: Route.HeadersFunction = formPageHeaders;

export function loader({ context }: Route.LoaderArgs) {
  return context.get(shopContext).actor.kind === "visitor" ? null : redirect("/dashboard");
}

export async function action({ request, context, pattern }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  const cookies: string[] = [];
  const [operation, failure] = isSignUp(pattern)
    ? ([signUpWithEmail, SIGN_UP_FAILED] as const)
    : ([signInWithEmail, SIGN_IN_FAILED] as const);
  const answer = await respondToForm(ctx, failure, async () => {
    cookies.push(...(await operation(ctx, input)).setCookies);
    return {};
  });
  if (answer.data.ok) return redirect("/", { headers: cookieHeaders(cookies) });
  return withTypedEmail(answer, input.email);
}

export function clientAction({ serverAction, pattern }: Route.ClientActionArgs) {
  return callServerAction(serverAction, isSignUp(pattern) ? SIGN_UP_FAILED : SIGN_IN_FAILED);
}

export default function SignInPage({ actionData }: Route.ComponentProps) {
  const { pathname } = useLocation();
  const signUp = isSignUp(pathname);
  const { googleSignIn } = useShared();
  const busy = useNavigation().state === "submitting";
  const refusal = actionData?.ok === false ? actionData : undefined;
  const fields = refusal?.fields ?? {};
  const isShown = fields.email !== undefined || fields.password !== undefined;
  return (
    <SmallPage title={titleOf(pathname)}>
      <Form method="post" className="flex flex-col gap-4">
        {refusal === undefined || isShown ? null : (
          <Banner tone="error" startsPage>
            <p>{refusal.message}</p>
            {refusal.also === undefined ? null : <p>{refusal.also}</p>}
          </Banner>
        )}
        <ConfirmedEmail email={refusal?.confirmedEmail} />
        <TextField
          id="email"
          name="email"
          label={t("Email")}
          type="email"
          autoComplete={signUp ? "email" : "username"}
          autoCapitalize="none"
          defaultValue={refusal?.email}
          errors={fields.email}
          renderError={(error) =>
            withSignInLink(error, (text) => (
              <Link to="/sign-in" className="-my-3 py-3 font-medium underline underline-offset-2">
                {text}
              </Link>
            ))
          }
          required
        />
        <PasswordInput
          id="password"
          name="password"
          label={t("Password")}
          autoComplete={signUp ? "new-password" : "current-password"}
          errors={fields.password}
          required
          {...(signUp && { hint: NEW_PASSWORD_HINT })}
        />
        <Button type="submit" variant="strong" wide busy={busy}>
          {t(signUp ? "Create Account" : "Sign In")}
        </Button>
      </Form>
      {signUp ? null : (
        <Link
          to="/forgot-password"
          className="-my-2 inline-flex min-h-11 items-center self-start rounded-sm font-medium text-accent text-sm underline underline-offset-4 hover:decoration-2"
        >
          {t("Forgot password?")}
        </Link>
      )}
      {googleSignIn ? <GoogleLink returnTo="/" label={t("Continue with Google")} wide /> : null}
      <LinkButton to={signUp ? "/sign-in" : "/sign-up"} variant="quiet" wide>
        {t(signUp ? "I have an account" : "Create an Account")}
      </LinkButton>
      {refusal === undefined ? null : <TroubleshooterOnPage />}
    </SmallPage>
  );
}
