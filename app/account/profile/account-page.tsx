import Monitor from "lucide-react/icons/monitor";
import Smartphone from "lucide-react/icons/smartphone";
import { redirect, type ShouldRevalidateFunctionArgs } from "react-router";
import { describeMyDeletion } from "#core/accounts/delete-account.server.ts";
import { readMyAccount } from "#core/accounts/profile.server.ts";
import { listMySessions, type MySession } from "#core/accounts/sessions.server.ts";
import { listMyPurchases } from "#core/passes/list-my-purchases.server.ts";
import { readWantsReminders } from "#core/reminders/opt-out.server.ts";
import { signOutHere } from "../../auth/sign-out-here.ts";
import { redirectVisitor } from "../../auth/wanted-page.server.ts";
import { readBody } from "../../request/read-body.ts";
import { shopContext } from "../../request/request-context.ts";
import { HelpLink } from "../../storefront/help-link.tsx";
import { DateOnly, DateTime } from "../../time/date-time.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { t, tNodes } from "../../ui/texts/texts.ts";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import { useShared } from "../../use-shared.ts";
import { AccountFrame } from "../account-frame.tsx";
import { OrderList } from "../orders/order-list.tsx";
import type { Route } from "./+types/account-page";
import { runAccountForm } from "./account-action.server.ts";
import {
  AccountForm,
  type AccountResult,
  AccountSection,
  FormOutcome,
  failedResult,
  INTENTS,
  isIntent,
  resultOf,
  useIsSending,
} from "./account-form.tsx";
import { DataSection, explainDownloadRefusal } from "./data-section.tsx";
import { DeletionSection } from "./deletion-section.tsx";
import { PasswordSection } from "./password-section.tsx";

export async function loader({ request, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw await redirectVisitor(ctx, "/account");
  const { searchParams } = new URL(request.url);
  const page = searchParams.get("page");
  const [account, sessions, purchases, deletion, wantsReminders] = await Promise.all([
    readMyAccount(ctx),
    listMySessions(ctx),
    listMyPurchases(ctx, { page }),
    describeMyDeletion(ctx),
    readWantsReminders(ctx),
  ]);
  const refusal = searchParams.get("download");
  const { actor } = ctx;
  return {
    account,
    mustChangePassword: actor.kind === "admin" && actor.mustChangePassword === true,
    sessions,
    purchases,
    deletion,
    wantsReminders,
    downloadRefusal: refusal === null ? null : explainDownloadRefusal(refusal),
    showsDeletion: searchParams.has("delete"),
  };
}

async function runForm({ request, context }: Route.ActionArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw redirect("/");
  const { intent, ...input } = await readBody(request);
  // Only a request that no form of the page sends has another intent.
  if (!isIntent(intent)) throw new Response(t("Unknown action"), { status: 400 });
  return runAccountForm(ctx, intent, input);
}

/** A refused deletion shows what it would end now. */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formMethod === "POST" || defaultShouldRevalidate;
}

export const action = Object.assign(runForm, { intents: INTENTS });

/** A request without an answer becomes a message beside its form: the page, and what was typed, stay. */
export async function clientAction({ request, serverAction }: Route.ClientActionArgs) {
  const intent = (await request.clone().formData()).get("intent");
  try {
    // Only the deletion of the account redirects.
    return await signOutHere(() => serverAction());
  } catch (error) {
    if (error instanceof Response || !isIntent(intent)) throw error;
    return failedResult(intent, error);
  }
}

/** Otherwise the back button would show the page again after a sign-out. */
export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ matches }) =>
  unlistedPageMeta(matches[1].loaderData, t("Account"));

/** The account of the signed-in person. Its forms work without scripts. */
export default function AccountPage({ loaderData, actionData }: Route.ComponentProps) {
  const { account, sessions, purchases, deletion, wantsReminders } = loaderData;
  const { downloadRefusal, showsDeletion, mustChangePassword } = loaderData;
  const { sendsMail } = useShared();
  return (
    <AccountFrame className="max-w-page py-8 sm:py-12">
      <div className="pb-6">
        <h1 className="text-xl">{t("Account")}</h1>
        <p className="wrap-anywhere mt-1 text-muted">{account.email}</p>
      </div>
      <AccountSection id="orders" title={t("Orders")} about={t("Everything you’ve ordered, newest first.")}>
        <OrderList {...purchases} />
      </AccountSection>
      <AccountSection
        id="name"
        title={t("Name")}
        about={t("Shown at the top of your pages and on your receipts.")}
      >
        <NameForm name={account.displayName} result={resultOf(actionData, "name")} />
      </AccountSection>
      <PasswordSection account={account} mustChange={mustChangePassword} result={actionData} />
      <AccountSection
        id="browsers"
        title={t("Browsers")}
        about={t(
          "Where you’re signed in. If you don’t recognise a browser, sign it out and change your password.",
        )}
      >
        <SessionList sessions={sessions} result={actionData} />
      </AccountSection>
      {sendsMail ? (
        <AccountSection
          id="reminders"
          title={t("Reminders")}
          about={t("An email before a pass ends, so that you can renew it in time.")}
        >
          <RemindersForm isOn={wantsReminders} result={resultOf(actionData, "reminders")} />
        </AccountSection>
      ) : null}
      <DataSection account={account} refusal={downloadRefusal} />
      <DeletionSection
        account={account}
        deletion={deletion}
        isOpen={showsDeletion}
        result={resultOf(actionData, "delete")}
      />
      <HelpLink about="my account" />
    </AccountFrame>
  );
}

function NameForm({ name, result }: { name: string; result: AccountResult | undefined }) {
  const busy = useIsSending("name");
  return (
    <AccountForm intent="name" className="flex max-w-96 flex-col gap-4">
      <FormOutcome result={result} />
      <TextField
        // A saved name may differ from the typed one in its spaces.
        key={name}
        id="display-name"
        name="name"
        label={t("Your name")}
        autoComplete="name"
        defaultValue={name}
        errors={result?.fields?.name}
        required
      />
      <Button type="submit" busy={busy} className="self-start">
        {t("Save Name")}
      </Button>
    </AccountForm>
  );
}

function RemindersForm({ isOn, result }: { isOn: boolean; result: AccountResult | undefined }) {
  const busy = useIsSending("reminders");
  return (
    <AccountForm intent="reminders" className="flex flex-col items-start gap-4">
      <FormOutcome result={result} />
      <p className="text-sm">{t(isOn ? "You get reminders." : "You get no reminders.")}</p>
      <input type="hidden" name="wanted" value={String(!isOn)} />
      <Button type="submit" busy={busy}>
        {t(isOn ? "Turn Off Reminders" : "Turn On Reminders")}
      </Button>
    </AccountForm>
  );
}

/** The browsers that are signed in to the account, this one first. */
function SessionList(props: { sessions: readonly MySession[]; result: AccountResult | undefined }) {
  const { sessions, result } = props;
  const busy = useIsSending("end-others");
  return (
    <div className="flex flex-col gap-4">
      <FormOutcome result={resultOf(result, "end-session") ?? resultOf(result, "end-others")} />
      <Card className="overflow-hidden">
        <ul aria-label={t("Browsers")} className="divide-y divide-line">
          {sessions.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Card>
      {sessions.length > 1 ? (
        <AccountForm intent="end-others">
          <Button type="submit" busy={busy}>
            {t("Sign Out All Other Browsers")}
          </Button>
        </AccountForm>
      ) : null}
    </div>
  );
}

function SessionRow({ session }: { session: MySession }) {
  const { id, isCurrent, signedInAt } = session;
  const browser = browserText(session.browser);
  const busy = useIsSending("end-session", { sessionId: id });
  const Icon = session.isHandheld ? Smartphone : Monitor;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <Icon aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <div className="min-w-40 flex-1">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold text-base tracking-normal">
          <span>{browser}</span>
          {isCurrent ? <Badge tone="green">{t("This browser")}</Badge> : null}
        </h3>
        <p className="text-muted text-xs [&>span]:inline-block">
          <span>{tNodes("Signed in {date}", { date: <DateOnly key="date" date={signedInAt} /> })}</span>
          <span className="whitespace-pre"> · </span>
          <LastSeen session={session} />
        </p>
      </div>
      {isCurrent ? null : (
        <AccountForm intent="end-session">
          <input type="hidden" name="sessionId" value={id} />
          <Button type="submit" size="small" busy={busy} aria-label={t("Sign Out {browser}", { browser })}>
            {t("Sign Out")}
          </Button>
        </AccountForm>
      )}
    </li>
  );
}

/** "Chrome on Android". */
function browserText({ name, system }: MySession["browser"]): string {
  const browser = name ?? t("Unknown browser");
  return system === null ? browser : t("{browser} on {system}", { browser, system });
}

function LastSeen({ session }: { session: MySession }) {
  const { isCurrent, lastSeenAt } = session;
  if (isCurrent) return <span>{t("In use now")}</span>;
  return <span>{tNodes("Last used {date}", { date: <DateTime key="date" date={lastSeenAt} /> })}</span>;
}
