import { getFormProps } from "@conform-to/react";
import { redirect, useNavigate } from "react-router";
import { signInAdmin } from "#core/accounts/sign-in.server.ts";
import { cookieHeaders, respondToForm } from "../auth/endpoints/form-response.server.ts";
import { callServerAction, SIGN_IN_FAILED } from "../auth/forms/auth-form-result.ts";
import { AuthFormErrors, EmailField, PasswordField } from "../auth/forms/credential-fields.tsx";
import { useAuthForm, validateSignIn } from "../auth/forms/use-auth-form.ts";
import { SmallPage } from "../auth/small-page.tsx";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/login";

const NAMES = ["email", "password"] as const;

export const meta: Route.MetaFunction = ({ matches }) =>
  unlistedPageMeta(matches[1].loaderData, "Admin Login");

export const headers: Route.HeadersFunction = () => ({
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex",
});

export function loader({ context }: Route.LoaderArgs) {
  return { isAdmin: context.get(shopContext).actor.kind === "admin" };
}

export async function action({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  const { email, password } = await readBody(request);
  const cookies: string[] = [];
  const answer = await respondToForm(ctx, SIGN_IN_FAILED, async () => {
    const { setCookies } = await signInAdmin(ctx, { email, password, form: "page" });
    cookies.push(...setCookies);
    return {};
  });
  return answer.data.ok ? redirect("/admin", { headers: cookieHeaders(cookies) }) : answer;
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return callServerAction(serverAction, SIGN_IN_FAILED);
}

export default function AdminLogin({ loaderData }: Route.ComponentProps) {
  return loaderData.isAdmin ? <Granted /> : <LoginForm />;
}

function Granted() {
  const navigate = useNavigate();
  return (
    <SmallPage title="Admin Access Granted">
      <Button variant="strong" wide onClick={() => void navigate("/admin")}>
        Go to Admin Panel
      </Button>
    </SmallPage>
  );
}

function LoginForm() {
  const { fetcher, form, fields, busy } = useAuthForm({ names: NAMES, validate: validateSignIn });
  return (
    <SmallPage title="Admin Login">
      <fetcher.Form {...getFormProps(form)} method="post" className="flex flex-col gap-4">
        <AuthFormErrors errors={form.errors} />
        <EmailField field={fields.email} autoComplete="username" />
        <PasswordField field={fields.password} autoComplete="current-password" />
        <Button type="submit" variant="strong" wide busy={busy}>
          {busy ? "Signing in..." : "Sign in as Admin"}
        </Button>
      </fetcher.Form>
      <p className="text-center text-muted text-sm">Admin Access Only</p>
      <LinkButton to="/" variant="quiet" wide>
        Back to Home
      </LinkButton>
    </SmallPage>
  );
}
