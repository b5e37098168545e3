import LogOut from "lucide-react/icons/log-out";
import Store from "lucide-react/icons/store";
import type { RefObject } from "react";
import { Form, useNavigation } from "react-router";
import { Logo } from "../storefront/logo.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { useShared } from "../use-shared.ts";
import { FigureStrip, type Figures, type Payments } from "./figure-strip.tsx";
import { ResaleCard } from "./resale-card.tsx";
import { useRefreshOnReturn } from "./use-refresh-on-return.ts";

export interface DashboardView {
  statistics: Figures;
  payments: Payments;
  resaleAcknowledged: boolean;
}

interface DashboardScreenProps extends DashboardView {
  heading: RefObject<HTMLHeadingElement | null>;
  error: string | undefined;
}

/** How the shop is doing, for its admin. The figures are read anew whenever the admin comes back to the page. */
export function DashboardScreen({
  heading,
  error,
  statistics,
  payments,
  resaleAcknowledged,
}: DashboardScreenProps) {
  useRefreshOnReturn();
  return (
    <>
      <DashboardHeader heading={heading} />
      <main
        id="content"
        tabIndex={-1}
        className="mx-auto flex max-w-page flex-col gap-4 px-4 py-6 outline-none sm:px-6"
      >
        {error === undefined ? null : <Banner tone="error">{error}</Banner>}
        {payments === "not-set-up" ? <PaymentsNotSetUp /> : null}
        {resaleAcknowledged ? null : <ResaleCard />}
        <FigureStrip statistics={statistics} payments={payments} />
      </main>
    </>
  );
}

function DashboardHeader({ heading }: Pick<DashboardScreenProps, "heading">) {
  const { store, user } = useShared();
  const busy = useNavigation().formData?.get("intent") === "sign-out";
  return (
    <header className="border-line border-b">
      <div className="mx-auto max-w-page px-4 pb-5 sm:px-6">
        <div className="flex h-16 items-center justify-between gap-2">
          <Logo name={store.name} />
          <div className="flex items-center gap-1 sm:gap-2">
            <LinkButton to="/" variant="quiet" size="small">
              <Store className="size-4" aria-hidden="true" />
              Shop
            </LinkButton>
            <Form method="post" action="/admin">
              <input type="hidden" name="intent" value="sign-out" />
              <Button type="submit" size="small" busy={busy}>
                {busy ? null : <LogOut className="size-4" aria-hidden="true" />}
                Logout
              </Button>
            </Form>
          </div>
        </div>
        <h1 ref={heading} tabIndex={-1} className="mt-2 text-xl outline-none">
          Admin Dashboard
        </h1>
        <p className="mt-1 text-muted">
          How {store.name} is doing right now{user ? ` · signed in as ${user.email}` : null}
        </p>
      </div>
    </header>
  );
}

function PaymentsNotSetUp() {
  return (
    <Banner tone="warning">
      <strong className="font-semibold">Payments are not set up, so nobody can pay.</strong> RAZORPAY_KEY_ID
      is not set (or PAYMENT_GATEWAY is none). Set it together with RAZORPAY_KEY_SECRET and
      RAZORPAY_WEBHOOK_SECRET, then start the shop again.
    </Banner>
  );
}
