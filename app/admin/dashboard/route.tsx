import { useEffect, useRef } from "react";
import {
  data,
  Form,
  redirect,
  type ShouldRevalidateFunctionArgs,
  useLocation,
  useNavigation,
} from "react-router";
import { confirmPassword } from "#core/accounts/change-password.server.ts";
import { signOut } from "#core/accounts/sessions.server.ts";
import { signInAdmin } from "#core/accounts/sign-in.server.ts";
import { requireAdminRequest } from "#core/audit/require-admin-request.server.ts";
import { readRestoreNotice } from "#core/backups/restored-shop.server.ts";
import type { Context } from "#core/context.ts";
import { isDomainError } from "#core/errors.ts";
import { sendTestMail } from "#core/mail/manage-outbox.server.ts";
import type { UntrustedInput } from "#core/parse.ts";
import { confirmSetup } from "#core/reports/go-live-checklist.server.ts";
import type { Confirmation } from "#core/reports/go-live-checklist.ts";
import {
  countAttention,
  readDashboardStatistics,
  readTabCounts,
} from "#core/reports/read-dashboard.server.ts";
import { cookieHeaders, signedOutHeaders } from "../../auth/endpoints/form-response.server.ts";
import { AuthFormErrors } from "../../auth/forms/credential-fields.tsx";
import { signOutHere } from "../../auth/sign-out-here.ts";
import { SmallPage } from "../../auth/small-page.tsx";
import { retryHeaders, toErrorCode, toErrorMessage } from "../../errors/error-messages.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import { type AdminResult, callAdminAction } from "../forms/admin-result.ts";
import type { Route } from "./+types/route";
import { findAdminPage } from "./admin-tabs.tsx";
import { DashboardScreen, type DashboardView } from "./dashboard-screen.tsx";

export const headers: Route.HeadersFunction = () => ({
  "Cache-Control": "private, no-store",
  "X-Robots-Tag": "noindex",
});

export const meta: Route.MetaFunction = ({ loaderData, location, matches }) => {
  const page = findAdminPage(location.pathname)?.label ?? "Admin Dashboard";
  const screen = loaderData?.state === "dashboard" ? page : "Admin Panel";
  return unlistedPageMeta(matches[1].loaderData, screen);
};

/** Anyone but an admin gets the sign-in form and no data. */
export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") return data({ state: "sign-in" } as const);
  try {
    await requireAdminRequest(ctx);
  } catch (error) {
    if (isDomainError(error, "password-change-needed")) throw redirect("/account#password");
    if (!isDomainError(error, "forbidden")) throw error;
    return data({ state: "sign-in" } as const, { status: 403 });
  }
  return data({ state: "dashboard", view: await readView(ctx) } as const);
}

async function readView(ctx: Context): Promise<DashboardView> {
  const [restored, statistics, tabCounts, attention] = await Promise.all([
    readRestoreNotice(ctx),
    readDashboardStatistics(ctx),
    readTabCounts(ctx),
    countAttention(ctx),
  ]);
  return { restored, statistics, tabCounts, attention };
}

/**
 * A tab, its search and its pages load their own list only. Changes of other data are announced by the live stream, and
 * every action loads all of it again.
 */
export function shouldRevalidate({
  currentUrl,
  nextUrl,
  formMethod,
  defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
  if (formMethod === undefined && currentUrl.href !== nextUrl.href) return false;
  return defaultShouldRevalidate;
}

/** What each form of this page does, by its intent. */
const OPERATIONS = {
  "sign-in": async (ctx, { email, password, shown }) => {
    const { setCookies } = await signInAdmin(ctx, { email, password, form: "inline" });
    return redirect(adminAddress(shown), { headers: cookieHeaders(setCookies) });
  },
  "sign-out": async (ctx) =>
    redirect("/admin", { headers: signedOutHeaders((await signOut(ctx)).setCookies) }),
  "acknowledge-resale": confirm("resale"),
  "confirm-backup": confirm("backup"),
  "confirm-claims": confirm("claims"),
  "confirm-name": confirm("name"),
  "confirm-texts": confirm("texts"),
  "confirm-test-mail": confirm("test-mail"),
  "send-test-mail": async (ctx) => done(`A test email to ${(await sendTestMail(ctx)).email} is on its way.`),
  "confirm-password": async (ctx, { password }) => {
    await confirmPassword(ctx, { password });
    return done(null);
  },
} satisfies Record<string, (ctx: Context, input: UntrustedInput) => Promise<Response | AdminAnswer>>;

type AdminAnswer = ReturnType<typeof data<AdminResult>>;

const done = (message: string | null) => data<AdminResult>({ ok: true, message, value: null });

/**
 * `{ ok: false, code, message }` for a refusal. A sign-in and a sign-out redirect to this page, which then shows what the actor
 * may see.
 */
async function runIntent({ request, context }: Route.ActionArgs): Promise<Response | AdminAnswer> {
  const ctx = context.get(shopContext);
  const { intent, ...input } = await readBody(request);
  try {
    if (intent !== "sign-in" && intent !== "sign-out") await requireAdminRequest(ctx);
    if (isIntent(intent)) return await OPERATIONS[intent](ctx, input);
    const message = "Unknown action. Please reload the page.";
    return data<AdminResult>({ ok: false, code: "unknown-intent", message }, { status: 400 });
  } catch (error) {
    if (!isDomainError(error)) ctx.log.error({ err: error }, "an action of the admin page failed");
    const { status, message } = toErrorMessage(error);
    const code = toErrorCode(error, "failed");
    return data<AdminResult>({ ok: false, code, message }, { status, headers: retryHeaders(error) });
  }
}

export const action = Object.assign(runIntent, { intents: Object.keys(OPERATIONS) });

function isIntent(intent: unknown): intent is keyof typeof OPERATIONS {
  return typeof intent === "string" && Object.hasOwn(OPERATIONS, intent);
}

export async function clientAction({ request, serverAction }: Route.ClientActionArgs) {
  const isSignOut = (await request.clone().formData()).get("intent") === "sign-out";
  const call = () => callAdminAction({ serverAction: () => serverAction() });
  return isSignOut ? signOutHere(call) : call();
}

function confirm(confirmation: Confirmation) {
  return async (ctx: Context) => {
    await confirmSetup(ctx, confirmation);
    return done("Confirmed.");
  };
}

/** The page of the admin that a form names; the first one for anything else, such as the address of another site. */
function adminAddress(shown: unknown): string {
  const shop = "http://shop";
  const url = typeof shown === "string" ? URL.parse(shown, shop) : null;
  const isAdmin = url?.origin === shop && (url.pathname === "/admin" || url.pathname.startsWith("/admin/"));
  return isAdmin ? `${url.pathname}${url.search}` : "/admin";
}

/** The admin's dashboard; the sign-in form for everybody else. */
export default function AdminDashboard({ loaderData, actionData }: Route.ComponentProps) {
  const error = actionData?.ok === false ? (actionData.message ?? undefined) : undefined;
  useFocusOnChange(loaderData.state);
  if (loaderData.state === "sign-in") return <SignInScreen error={error} />;
  return <DashboardScreen error={error} {...loaderData.view} />;
}

/** Moves the focus to the start of the new content, because the focused button may have disappeared. */
function useFocusOnChange(shown: string): void {
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    document.getElementById("content")?.focus();
  }, [shown]);
}

/** The sign-in form at /admin, for everybody who is not signed in as an admin. */
function SignInScreen({ error }: { error: string | undefined }) {
  const busy = useNavigation().formData?.get("intent") === "sign-in";
  const { pathname, search } = useLocation();
  return (
    <SmallPage title="Admin Panel">
      <Form method="post" action="/admin" noValidate className="flex flex-col gap-4">
        <input type="hidden" name="intent" value="sign-in" />
        <input type="hidden" name="shown" value={`${pathname}${search}`} />
        <AuthFormErrors errors={busy || error === undefined ? undefined : [error]} />
        <TextField
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          required
        />
        <PasswordInput label="Password" name="password" autoComplete="current-password" required />
        <Button type="submit" variant="strong" wide busy={busy}>
          Sign In
        </Button>
      </Form>
      <LinkButton to="/" variant="quiet" wide>
        Go to the Shop
      </LinkButton>
    </SmallPage>
  );
}
