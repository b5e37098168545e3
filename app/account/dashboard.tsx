import Ticket from "lucide-react/icons/ticket";
import { redirect } from "react-router";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";
import { listMyDevices } from "#core/devices/manage-devices.server.ts";
import { listMyPasses } from "#core/passes/list-my-passes.server.ts";
import { shopContext } from "../middleware/request-context.ts";
import { HelpLink } from "../storefront/help-link.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { LinkButton } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import type { Route } from "./+types/dashboard";
import { DashboardHeader, useRedirectWhenSignedOut } from "./account-frame.tsx";
import { DeviceList } from "./devices/device-list.tsx";
import { ExtensionSection, UpdateNotice } from "./extension-section.tsx";
import { PassTicket } from "./pass-ticket.tsx";
import { PastAccess } from "./past-access.tsx";
import { PaymentBanners } from "./payment-banners.tsx";

export async function loader({ context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw redirect("/");
  const [passes, devices] = await Promise.all([listMyPasses(ctx), listMyDevices(ctx)]);
  return { ...passes, devices, extensionVersion: EXTENSION_VERSION, now: ctx.clock.now() };
}

/** Otherwise the back button would show the page again after a sign-out. */
export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ matches }) => unlistedPageMeta(matches[1].loaderData, "Dashboard");

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { active, past, pending, devices, extensionVersion, now } = loaderData;
  useRedirectWhenSignedOut();
  const expired = past.filter(({ badge }) => badge === "Expired");
  const hasExpired = expired.length > 0;
  const canRenew = expired.some(({ onSale }) => onSale);
  return (
    <>
      <DashboardHeader />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-page flex-col gap-8 px-4 py-8 outline-none sm:px-6 sm:py-12"
      >
        <PaymentBanners pending={pending} past={past} now={now} />
        <section aria-labelledby="my-tools" className="flex flex-col gap-5">
          <div className="flex min-h-11 flex-wrap items-center justify-between gap-3">
            <h1 id="my-tools" className="text-xl">
              My Tools
            </h1>
            {active.length > 0 ? <LinkButton to="/">Get another tool</LinkButton> : null}
          </div>
          {active.length > 0 ? (
            <ul className="grid gap-4 sm:grid-cols-2 sm:gap-5 lg:grid-cols-3">
              {active.map((pass) => (
                <li key={pass.id}>
                  <PassTicket pass={pass} serverTime={now} />
                </li>
              ))}
            </ul>
          ) : (
            <EmptyState
              title="No Tools Available"
              icon={hasExpired ? null : <Ticket aria-hidden="true" className="size-8" />}
              action={
                <LinkButton to="/" variant={canRenew ? "plain" : "strong"}>
                  Purchase Tools
                </LinkButton>
              }
            >
              {hasExpired
                ? `Your passes have ended. ${canRenew ? "Renew one below, or get another tool." : "You can get another tool."}`
                : "Your passes appear here, each with the time left and a button that opens the tool."}
            </EmptyState>
          )}
        </section>
        {/* Without an active pass, renewing comes first. */}
        {active.length === 0 ? <PastAccess passes={past} activePasses={active} /> : null}
        <ExtensionSection version={extensionVersion} passes={active} />
        <DeviceList {...devices} />
        {active.length > 0 ? <PastAccess passes={past} activePasses={active} /> : null}
        <HelpLink about="my passes" />
      </main>
      <SiteFooter />
      <UpdateNotice version={extensionVersion} />
    </>
  );
}
