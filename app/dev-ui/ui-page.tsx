import Ticket from "lucide-react/icons/ticket";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { formatPaise } from "#core/money.ts";
import { addDays } from "#core/time.ts";
import { ExpiredTicket, PassTicket } from "../account/pass-ticket.tsx";
import { AccountView } from "../auth/dialog/account-view.tsx";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { AccountEnd } from "../checkout/dialog/bill.tsx";
import type { CheckoutState } from "../checkout/dialog/checkout-state.ts";
import { OrderSummary } from "../checkout/dialog/order-summary.tsx";
import { Outcome } from "../checkout/dialog/outcome.tsx";
import { OUTCOME_STEPS } from "../checkout/dialog/purchase-dialog.tsx";
import { messageForCode } from "../errors/error-messages.ts";
import { shortenTexts } from "../storefront/catalogue/card-texts.ts";
import { ToolCard } from "../storefront/catalogue/tool-card.tsx";
import { SiteFooter } from "../storefront/site-footer.tsx";
import { ActiveBadge, Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button, LinkButton } from "../ui/button.tsx";
import { Card, Skeleton } from "../ui/card.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { ConfirmDialog, Dialog } from "../ui/dialogs/dialog.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Fact } from "../ui/fact.tsx";
import { CheckField, SelectField, TextAreaField } from "../ui/forms/fields.tsx";
import { PasswordInput } from "../ui/forms/password-input.tsx";
import { TextField } from "../ui/forms/text-field.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { LogoTile } from "../ui/logo-tile.tsx";
import { Fold } from "../ui/regions.tsx";
import { Money, OrderNumberText } from "../ui/text.tsx";
import { type Elements, t } from "../ui/texts/texts.ts";
import { unlistedPageMeta } from "../unlisted-page-meta.ts";
import { useShared } from "../use-shared.ts";
import { CARDS, passesAt, purchasesAt } from "./examples.ts";

const VARIANTS = ["strong", "soft", "plain", "quiet", "danger"] as const;
const TONES = ["neutral", "warning", "green", "yellow", "red"] as const;
const BANNERS = ["info", "success", "warning", "error"] as const;
const SIZES = ["small", "large", "tall", "side"] as const;
const nothing = () => undefined;

export const meta = () => unlistedPageMeta(undefined, "UI");

/**
 * Every primitive, ticket, pass, dialog and table in its states, at /dev/ui of the development server only. What buyers see is in
 * the language of the page, which the footer switches; the rest is in English, as in the admin area.
 */
export default function UiPage() {
  const { now: renderedAt, timeZone } = useShared();
  const now = new Date(renderedAt);
  useEffect(() => {
    // Fields with an error and outcomes take the focus, and the page would begin at the last one.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    window.scrollTo(0, 0);
  }, []);
  return (
    <>
      <main id="content" tabIndex={-1} className="mx-auto flex max-w-page flex-col gap-12 px-4 py-8 sm:px-6">
        <h1 className="text-2xl">UI</h1>
        <Part title="Primitives">
          <Primitives />
        </Part>
        <Part title="Fields">
          <Fields />
        </Part>
        <Part title="Tools">
          {CARDS.map((tool) => (
            <ToolCard
              key={tool.slug}
              tool={shortenTexts(tool)}
              shop={{ chatNumber: "919876543210", timeZone }}
              accessUntil={tool.slug === "owned" ? addDays(now, 5) : null}
              onChoose={nothing}
            />
          ))}
        </Part>
        <Part title="Passes">
          {Object.entries(passesAt(now)).map(([name, pass]) => (
            <Example key={name} name={name}>
              <PassTicket pass={pass} serverTime={now} isFirst={name === "running"} />
            </Example>
          ))}
          {Object.entries(passesAt(addDays(now, -60)))
            .filter(([, pass]) => pass.expiresAt < now)
            .map(([name, pass], at) => (
              <Example key={name} name={`${name}, expired`}>
                <ExpiredTicket pass={pass} strong={at === 0} />
              </Example>
            ))}
        </Part>
        <Part title="Purchases">
          {Object.entries(purchasesAt(now)).map(([name, state]) => (
            <Example key={name} name={name}>
              <Purchase state={state} now={now} />
            </Example>
          ))}
        </Part>
        <Part title="Dialogs">
          <Dialogs />
        </Part>
        <Part title="Tables">
          <Table />
        </Part>
      </main>
      <SiteFooter />
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-4">
      <h2 className="text-xl">{title}</h2>
      <div className="grid grid-cols-1 gap-x-4 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">{children}</div>
    </section>
  );
}

function Example({ name, children }: { name: string; children: Elements }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <p className="text-muted text-xs">{name}</p>
      {children}
    </div>
  );
}

function Primitives() {
  return (
    <>
      {VARIANTS.map((variant) => (
        <div key={variant} className="flex flex-wrap items-center gap-2">
          <Button variant={variant}>{t("Renew now")}</Button>
          <Button variant={variant} disabled>
            {t("Open")}
          </Button>
          <Button variant={variant} busy>
            {t("Confirming payment…")}
          </Button>
          <LinkButton to="/" variant={variant} size="small">
            {t("See other tools")}
          </LinkButton>
        </div>
      ))}
      <div className="flex flex-wrap content-start items-center gap-2">
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone}>
            {t("Starts later")}
          </Badge>
        ))}
        <ActiveBadge isActive />
        <ActiveBadge isActive={false} />
        <IconButton label={t("Close")}>
          <Ticket className="size-5" aria-hidden="true" />
        </IconButton>
      </div>
      {BANNERS.map((tone) => (
        <Banner key={tone} tone={tone}>
          {messageForCode("payment-not-verified")}
        </Banner>
      ))}
      <div className="flex flex-wrap gap-2">
        {["Canva", "ChatGPT", "Grammarly", "QuillBot", "Udemy", "7z"].map((name) => (
          <LogoTile key={name} name={name} />
        ))}
        <LogoTile name="Daypass" picture="/favicon.svg" />
      </div>
      <dl>
        <Fact name="Price">
          <Money className="mr-2">{formatPaise(11_900)}</Money>
          <Money struck>{formatPaise(49_900)}</Money>
        </Fact>
      </dl>
      <OrderNumberText number="K7QM4XTP" />
      <Fold summary={t("About this tool")} startsOpen>
        <Skeleton className="m-4 h-12" />
      </Fold>
      <EmptyState title={t("This tool is free")} action={<Button>{t("Try again")}</Button>} icon={<Ticket />}>
        {t("There is nothing to pay.")}
      </EmptyState>
    </>
  );
}

function Fields() {
  const errors = ["Invalid coupon code"];
  const options = [{ value: "all", label: "All Tools" }];
  return (
    <>
      <TextField label="Code" placeholder="MONSOON" hint="In upper case." />
      <TextField label="Code" defaultValue="WRONG" errors={errors} />
      <TextField label="Code" defaultValue="MONSOON" readOnly />
      <PasswordInput label={t("Password")} defaultValue="secret" />
      <TextAreaField label="Notes" defaultValue="Assigned by admin" errors={errors} />
      <SelectField label="Tool" options={options} />
      <SelectField label="Tool" options={options} disabled />
      <CheckField label="Active" defaultChecked hint="Buyers can use it." />
      <CheckField label="Active" disabled />
    </>
  );
}

/** What changes in the purchase dialog, without the dialog. */
function Purchase({ state, now }: { state: CheckoutState; now: Date }) {
  const payButton = useRef<HTMLButtonElement>(null);
  const signedIn = state.offer?.signedIn ?? true;
  const account = (
    <AccountView
      isResetting={false}
      onReset={nothing}
      startsReturning={false}
      renderEnd={(button) => (
        <AccountEnd state={state} dispatch={nothing}>
          {button}
        </AccountEnd>
      )}
    />
  );
  const calls = { onSignIn: nothing, onClose: nothing, onRenew: nothing, onRetry: nothing };
  return (
    // It scrolls, as the dialog does, so that the bar with the button sticks to it and not to the page.
    <Card className="flex-1 overflow-hidden p-5 pb-6">
      {OUTCOME_STEPS.has(state.step.name) ? (
        <Outcome state={state} signedIn={signedIn} {...calls} />
      ) : (
        <OrderSummary {...{ state, signedIn, now, account, payButton }} dispatch={nothing} onPay={nothing} />
      )}
    </Card>
  );
}

function Dialogs() {
  const [opened, setOpened] = useState<string | null>(null);
  const { openSignIn } = useSignIn();
  const close = () => setOpened(null);
  return (
    <div className="col-span-full flex flex-wrap gap-2">
      <Button onClick={() => openSignIn()}>{t("Sign in")}</Button>
      {["confirm", ...SIZES].map((name) => (
        <Button key={name} onClick={() => setOpened(name)}>
          {name}
        </Button>
      ))}
      {SIZES.map((size) => (
        <Dialog key={size} open={opened === size} onOpenChange={close} size={size} title="Canva">
          <p>{t("We’ve kept your choice.")}</p>
        </Dialog>
      ))}
      <ConfirmDialog
        open={opened === "confirm"}
        title="Delete Coupon Code"
        confirmLabel="Delete Coupon Code"
        onConfirm={close}
        onClose={close}
      />
    </div>
  );
}

const COLUMNS: Column<{ id: string; used: number }>[] = [
  { id: "code", header: "Code", sorted: "asc", phone: "first", cell: ({ id }) => <strong>{id}</strong> },
  { id: "used", header: "Times Used", align: "end", phone: "second", cell: ({ used }) => used },
  {
    id: "status",
    header: "Status",
    phone: "first-end",
    cell: ({ used }) => <ActiveBadge isActive={used > 0} />,
  },
];

function Table() {
  const rows = ["A-CODE-OF-MANY-LETTERS-AND-DIGITS", "DIWALI", "MONSOON"].map((id, used) => ({ id, used }));
  return (
    <Card className="col-span-full overflow-clip px-1">
      <DataTable
        label="Coupon codes"
        columns={COLUMNS}
        rows={rows}
        rowId={({ id }) => id}
        selectedId="DIWALI"
        onPress={nothing}
      />
    </Card>
  );
}
