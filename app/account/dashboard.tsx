import Ticket from "lucide-react/icons/ticket";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";
import { listMyDevices } from "#core/devices/manage-devices.server.ts";
import { listMyPasses, type PassView } from "#core/passes/list-my-passes.server.ts";
import { redirectVisitor } from "../auth/wanted-page.server.ts";
import { shopContext } from "../request/request-context.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { ToolLogo } from "../storefront/tool-logo.tsx";
import { Badge } from "../ui/badge.tsx";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { langOf, t } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/dashboard";
import { AccountHeader, useRevalidateOnReturn } from "./account-frame.tsx";
import { DeviceList } from "./devices/device-list.tsx";
import { ExtensionSection, UpdateNotice } from "./extension-section.tsx";
import { EndDate, ExpiredTicket, PassTicket, Receipt, Refunds, RenewLink } from "./pass-ticket.tsx";
import { PaymentBanners } from "./payment-banners.tsx";
import { badgeMessage } from "./purchase-words.ts";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw await redirectVisitor(ctx, "/dashboard");
  const [passes, devices] = await Promise.all([listMyPasses(ctx), listMyDevices(ctx)]);
  return {
    ...passes,
    devices,
    extensionVersion: EXTENSION_VERSION,
    storeUrl: ctx.store.extensionStoreUrl,
    now: ctx.clock.now(),
  };
}

/** Otherwise the back button would show the page again after a sign-out. */
export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ matches }) =>
  unlistedPageMeta(matches[1].loaderData, t("Dashboard"));

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { active, past, pending, devices, extensionVersion, now } = loaderData;
  useRevalidateOnReturn();
  const expired = past.filter(({ badge }) => badge === "Expired");
  // A waiting one has no button.
  const first = active.find(({ badge }) => badge !== "Waiting");
  const hasExpired = expired.length > 0;
  const canRenew = expired.some(({ onSale }) => onSale);
  return (
    <>
      <AccountHeader at="dashboard" />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-page flex-col gap-8 px-4 pt-2 pb-4 outline-none sm:px-6 sm:py-12"
      >
        <PaymentBanners pending={pending} past={past} now={now} />
        <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_26rem] lg:gap-10">
          <div className="flex min-w-0 flex-col gap-8">
            <section aria-labelledby="my-tools" className="flex flex-col gap-3 sm:gap-5">
              <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
                <h1 id="my-tools" className="text-xl">
                  {t("My Tools")}
                </h1>
                {active.length > 0 ? <LinkButton to="/">{t("Get another tool")}</LinkButton> : null}
              </div>
              {active.length > 0 ? (
                <ul className={TICKETS}>
                  {active.map((pass) => (
                    <li key={pass.id}>
                      <PassTicket pass={pass} serverTime={now} isFirst={pass === first} />
                    </li>
                  ))}
                </ul>
              ) : (
                <EmptyState
                  title={t("No Tools Available")}
                  icon={hasExpired ? null : <Ticket aria-hidden="true" className="size-8" />}
                  action={
                    <LinkButton to="/" variant={canRenew ? "plain" : "strong"}>
                      {t("Purchase Tools")}
                    </LinkButton>
                  }
                >
                  {hasExpired
                    ? `${t("Your passes have ended.")} ${t(canRenew ? "Renew one below, or get another tool." : "You can get another tool.")}`
                    : t("Your passes appear here, each with the time left and a button that opens the tool.")}
                </EmptyState>
              )}
            </section>
            <PastAccess passes={past} activePasses={active} />
          </div>
          <div className="flex min-w-0 flex-col gap-8 lg:pt-2">
            <DeviceList {...devices} />
            <ExtensionSection version={extensionVersion} storeUrl={loaderData.storeUrl} passes={active} />
          </div>
        </div>
        <HelpLink about="my passes" />
      </main>
      <SiteFooter />
      <UpdateNotice version={extensionVersion} />
    </>
  );
}

/** A single one has the whole width. */
const TICKETS = "grid grid-cols-[repeat(auto-fit,minmax(min(100%,18rem),1fr))] gap-3 sm:gap-5";

interface PastAccessProps {
  passes: readonly PassView[];
  /** A tool with an active pass is renewed on its card. */
  activePasses: readonly PassView[];
}

/** Rows below the tickets. The account page has all orders. */
const ROWS_SHOWN = 10;

/** What has ended: the last pass of each tool as a ticket that can be renewed, and the rest in rows. */
function PastAccess({ passes, activePasses }: PastAccessProps) {
  if (passes.length === 0) return null;
  const activeTools = new Set(activePasses.map(toolOf));
  const tickets = lastExpiredPasses(passes).filter((pass) => !activeTools.has(toolOf(pass)));
  const renewed = new Set([...activeTools, ...tickets.map(toolOf)]);
  const firstOnSale = tickets.find(({ onSale }) => onSale);
  const rows = passes.filter((pass) => !tickets.includes(pass));
  return (
    <section aria-labelledby="past-access" className="flex flex-col gap-3 sm:gap-5">
      <h2 id="past-access" className="text-lg">
        {t("Past access")}
      </h2>
      {tickets.length > 0 ? (
        <ul className={TICKETS}>
          {tickets.map((pass) => (
            <li key={pass.id}>
              <ExpiredTicket pass={pass} strong={activePasses.length === 0 && pass === firstOnSale} />
            </li>
          ))}
        </ul>
      ) : null}
      {rows.length > 0 ? (
        <ul className="flex flex-col divide-y divide-line border-line border-y">
          {rows.slice(0, ROWS_SHOWN).map((pass) => (
            <PastPass key={pass.id} pass={pass} renewable={!renewed.has(toolOf(pass))} />
          ))}
        </ul>
      ) : null}
      {rows.length > ROWS_SHOWN ? (
        <LinkButton to="/account#orders" variant="quiet" size="small" className="-ml-3 self-start">
          {t("All orders")}
        </LinkButton>
      ) : null}
    </section>
  );
}

function PastPass({ pass, renewable }: { pass: PassView; renewable: boolean }) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 py-3 sm:grid-cols-[auto_minmax(0,1fr)_auto_minmax(8.5rem,auto)]">
      <ToolLogo name={pass.toolName} className="size-9 text-base grayscale" />
      <div className="min-w-0">
        <h3 lang={langOf(pass.toolName)} className="font-medium text-sm tracking-normal">
          {pass.toolName}
        </h3>
        {/* The badge of any other pass already shows how it ended. */}
        {pass.badge === "Expired" ? <EndDate pass={pass} small /> : null}
        <Refunds pass={pass} />
        <Receipt pass={pass} />
      </div>
      <Badge>{badgeMessage(pass)}</Badge>
      {renewable ? (
        <div className="col-start-2 sm:col-start-4 sm:justify-self-end">
          <RenewLink pass={pass} size="small" />
        </div>
      ) : null}
    </li>
  );
}

/** The expired pass of each tool that ended last. @param passes the latest end first */
function lastExpiredPasses(passes: readonly PassView[]): PassView[] {
  const expired = passes.filter(({ badge }) => badge === "Expired");
  return expired.filter((pass) => expired.find((other) => toolOf(other) === toolOf(pass)) === pass);
}

function toolOf({ toolSlug, toolName }: PassView): string {
  return toolSlug ?? toolName;
}
