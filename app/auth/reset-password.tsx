import { getFormProps } from "@conform-to/react";
import { readResetLink, resetPassword } from "#core/accounts/reset-password.server.ts";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { Banner } from "../ui/banner.tsx";
import { Button, NoScriptsLink } from "../ui/button.tsx";
import { UsernameField } from "../ui/forms/username-field.tsx";
import { t } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/reset-password";
import { formPageHeaders, respondToForm } from "./endpoints/form-response.server.ts";
import { callServerAction, NEW_PASSWORD_FAILED } from "./forms/auth-form-result.ts";
import {
  ADMIN_PASSWORD_HINT,
  AuthFormErrors,
  NEW_PASSWORD_HINT,
  PasswordField,
} from "./forms/credential-fields.tsx";
import { useAuthForm, validateNewPassword } from "./forms/use-auth-form.ts";
import { useSignIn } from "./sign-in-provider.tsx";
import { SmallPage } from "./small-page.tsx";

const NAMES = ["newPassword"] as const;
const TITLE = "Set a new password";

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, t(TITLE));

export const headers: Route.HeadersFunction = formPageHeaders;

export async function loader({ request, context }: Route.LoaderArgs) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const link = await readResetLink(context.get(shopContext), { token });
  return { token, usable: link !== null, email: link?.email ?? "", isAdmin: link?.isAdmin ?? false };
}

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const input = await readBody(request);
  return respondToForm(ctx, NEW_PASSWORD_FAILED, async () => {
    await resetPassword(ctx, input);
    return { message: t("Your new password is set. Please sign in with it.") };
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return callServerAction(serverAction, NEW_PASSWORD_FAILED);
}

/** The page that the link of a reset mail opens. */
export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { openSignIn } = useSignIn();
  const { fetcher, form, fields, busy, result } = useAuthForm({
    names: NAMES,
    validate: ({ newPassword }) => validateNewPassword("newPassword", newPassword),
    posted: actionData,
  });
  if (result?.ok) {
    return (
      <SmallPage title={t(TITLE)}>
        <Banner tone="success">{result.message}</Banner>
        <Button variant="strong" wide autoFocus onClick={() => openSignIn("signin")}>
          {t("Sign In")}
        </Button>
        <NoScriptsLink wide href="/sign-in">
          {t("Sign In")}
        </NoScriptsLink>
      </SmallPage>
    );
  }
  if (!loaderData.usable) {
    return (
      <SmallPage title={t(TITLE)}>
        <Banner tone="error" startsPage>
          {t("This link has been used or has expired.")}
        </Banner>
        <Button variant="strong" wide onClick={() => openSignIn("reset-password")}>
          {t("Request a new link")}
        </Button>
        <NoScriptsLink wide href="/forgot-password">
          {t("Request a new link")}
        </NoScriptsLink>
      </SmallPage>
    );
  }
  return (
    <SmallPage title={t(TITLE)}>
      <fetcher.Form {...getFormProps(form)} method="post" className="flex flex-col gap-4">
        <AuthFormErrors errors={form.errors} />
        <input type="hidden" name="token" value={loaderData.token} />
        <UsernameField email={loaderData.email} />
        <PasswordField
          field={fields.newPassword}
          label={t("New password")}
          hint={loaderData.isAdmin ? ADMIN_PASSWORD_HINT : NEW_PASSWORD_HINT}
          autoComplete="new-password"
        />
        <Button type="submit" variant="strong" wide busy={busy}>
          {t("Set New Password")}
        </Button>
      </fetcher.Form>
      <Button variant="quiet" wide onClick={() => openSignIn("reset-password")}>
        {t("Request a new link")}
      </Button>
      <NoScriptsLink wide href="/forgot-password">
        {t("Request a new link")}
      </NoScriptsLink>
    </SmallPage>
  );
}
