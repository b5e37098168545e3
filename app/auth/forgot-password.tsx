import { Form, redirect, useNavigation } from "react-router";
import { requestPasswordReset } from "#core/accounts/reset-password.server.ts";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { Banner } from "../ui/banner.tsx";
import { Button, LinkButton } from "../ui/button.tsx";
import { TextField } from "../ui/forms/text-field.tsx";
import { t } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/forgot-password";
import { formPageHeaders, respondToForm, withTypedEmail } from "./endpoints/form-response.server.ts";
import { callServerAction, RESET_FAILED, resetAnswer } from "./forms/auth-form-result.ts";
import { ResetIntro, ResetRequested, useResetSupport } from "./forms/credential-fields.tsx";
import { SmallPage } from "./small-page.tsx";

const TITLE = "Reset password";

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, t(TITLE));

export const headers: Route.HeadersFunction = formPageHeaders;

export function loader({ context }: Route.LoaderArgs) {
  return context.get(shopContext).actor.kind === "visitor" ? null : redirect("/account");
}

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  const answer = await respondToForm(ctx, RESET_FAILED, async () => {
    return resetAnswer(await requestPasswordReset(ctx, input));
  });
  if (answer.data.ok) return answer;
  return withTypedEmail(answer, input.email);
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return callServerAction(serverAction, RESET_FAILED);
}

/** The view "Reset password" of the sign-in dialog as a page, which works without scripts. */
export default function ForgotPassword({ actionData: result }: Route.ComponentProps) {
  const busy = useNavigation().state === "submitting";
  const support = useResetSupport();
  const refusal = result?.ok === false ? result : undefined;
  return (
    <SmallPage title={t(TITLE)}>
      {result?.ok ? <ResetRequested result={result} /> : null}
      <ResetIntro isAsked={result?.ok} />
      <Form method="post" className="flex flex-col gap-4">
        {refusal === undefined || refusal.fields?.email ? null : (
          <Banner tone="error" startsPage>
            {refusal.message}
          </Banner>
        )}
        <TextField
          id="email"
          name="email"
          label={t("Email")}
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          defaultValue={refusal?.email}
          errors={refusal?.fields?.email}
          required
        />
        <Button type="submit" variant={support === undefined ? "strong" : "plain"} wide busy={busy}>
          {t("Send Reset Link")}
        </Button>
      </Form>
      <LinkButton to="/sign-in" variant="quiet" wide>
        {t("Back to sign-in")}
      </LinkButton>
    </SmallPage>
  );
}
