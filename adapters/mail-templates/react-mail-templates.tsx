import { render, toPlainText } from "@react-email/render";
import type { ReactElement } from "react";
import {
  type MailKind,
  type MailKinds,
  type MailTemplates,
  type PassFacts,
  purchaseMailSubject,
  type ShopFacts,
} from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { BANKS_TAKE, UNCAPTURED_RETURNS } from "#core/refund-reasons.ts";
import { MailLayout, MailLink, Paragraph, SmallPrint, StrongButton } from "./mail-layout.tsx";
import { PurchaseReceiptMail } from "./purchase-receipt-mail.tsx";

function PassAssignedMail({ facts, shop }: { facts: MailKinds["pass-assigned"]; shop: ShopFacts }) {
  const { toolName, until, toolUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`You have access to ${toolName}`}
      preview={until === null ? `A pass from ${shop.name}` : `Your pass works until ${until}.`}
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        {shop.name} has given you a pass for {toolName}.{" "}
        {until === null ? "It has since ended." : `It works until ${until}.`}
      </Paragraph>
      {until === null ? null : <StrongButton href={toolUrl}>Open {toolName}</StrongButton>}
      <Paragraph>There’s nothing to pay, and the pass doesn’t renew automatically.</Paragraph>
    </MailLayout>
  );
}

const testMailSubject = "Test email from your shop";

function TestMail({ facts, shop }: { facts: MailKinds["test-mail"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={testMailSubject}
      preview="Your shop can send email."
      because={`you asked ${shop.name} for a test email`}
    >
      <Paragraph>
        You asked for this email in the admin area on {facts.sentAt}. It arrived, so receipts, password resets
        and refund notices reach your buyers too.
      </Paragraph>
      <Paragraph>If it was in your spam folder, check the SPF and DKIM records of your domain.</Paragraph>
    </MailLayout>
  );
}

const giveawayWonSubject = ({ toolName }: PassFacts) => `You won today’s giveaway: ${toolName}`;

function GiveawayWonMail({ facts, shop }: { facts: PassFacts; shop: ShopFacts }) {
  const { toolName, until, toolUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`You won a pass for ${toolName}`}
      preview={`It’s ready and works until ${until}.`}
      because={`you claimed the daily giveaway at ${shop.name}`}
    >
      <Paragraph>
        You were the first to claim today’s giveaway. Your free pass for {toolName} is ready and works until{" "}
        {until}.
      </Paragraph>
      <StrongButton href={toolUrl}>Open {toolName}</StrongButton>
      <Paragraph>There’s nothing to pay, and the pass doesn’t renew automatically.</Paragraph>
    </MailLayout>
  );
}

const backInStockSubject = ({ toolName }: MailKinds["back-in-stock"]) => `${toolName} is back`;

function BackInStockMail({ facts, shop }: { facts: MailKinds["back-in-stock"]; shop: ShopFacts }) {
  const { toolName, shopUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`${toolName} is back`}
      preview="You can get a pass again."
      because={`you asked ${shop.name} to tell you when ${toolName} is back`}
    >
      <Paragraph>
        {toolName} is in stock again. We can’t reserve one, so it’s first come, first served.
      </Paragraph>
      <StrongButton href={shopUrl}>Get {toolName}</StrongButton>
      <SmallPrint>We won’t email you about this again unless you ask us to.</SmallPrint>
    </MailLayout>
  );
}

const googleLinkedSubject = "You can now sign in with Google";

function GoogleLinkedMail({ facts, shop }: { facts: MailKinds["google-linked"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={googleLinkedSubject}
      preview="Your password still works."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        Someone just signed in with Google as {facts.email}. From now on you can open your account with Google
        as well as with your password.
      </Paragraph>
      <Paragraph>
        If it was you, there is nothing to do. If it wasn’t, please change your password, sign out all other
        browsers on your account page, and contact us right away.
      </Paragraph>
    </MailLayout>
  );
}

const codesUsedUpSubject = ({ toolName, serverName }: MailKinds["codes-used-up"]) =>
  `No codes left for ${toolName}, ${serverName}`;

function CodesUsedUpMail({ facts, shop }: { facts: MailKinds["codes-used-up"]; shop: ShopFacts }) {
  const { toolName, serverName, codesUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`No codes left for ${toolName}`}
      preview={`A buyer with a pass is waiting for a code for ${serverName}.`}
      because={`you run ${shop.name}`}
    >
      <Paragraph>
        A buyer with a pass for {toolName} asked for a code for {serverName}, but every code is in use. Once
        you add codes, the buyer can get one.
      </Paragraph>
      <StrongButton href={codesUrl}>Add access codes</StrongButton>
      <Paragraph>We email you about each server at most once a day.</Paragraph>
    </MailLayout>
  );
}

const backupOverdueSubject = "Your shop has no recent backup";

function BackupOverdueMail({ facts, shop }: { facts: MailKinds["backup-overdue"]; shop: ShopFacts }) {
  const { lastAt, reason, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={backupOverdueSubject}
      preview={lastAt === null ? "There is no verified backup yet." : `The last one is from ${lastAt}.`}
      because={`you run ${shop.name}`}
    >
      <Paragraph>
        {shop.name} makes a backup every night, but none has succeeded in the last 48 hours.{" "}
        {lastAt === null
          ? "There is no verified backup yet. If the disk failed now, everything would be lost."
          : `The last verified backup is from ${lastAt}. If the disk failed now, everything since then would be lost.`}
      </Paragraph>
      {reason === null ? null : <Paragraph>The last attempt failed: {reason}</Paragraph>}
      <StrongButton href={adminUrl}>Open Backups</StrongButton>
      <SmallPrint>We’ll email you again in 48 hours if there is still none.</SmallPrint>
    </MailLayout>
  );
}

const passwordChangedSubject = "Your password was changed";

function PasswordChangedMail({ facts, shop }: { facts: MailKinds["password-changed"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={passwordChangedSubject}
      preview="If it was you, there is nothing to do."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        The password of your account {facts.email} was just changed. All other browsers were signed out.
      </Paragraph>
      <Paragraph>
        If it was you, there is nothing to do. If it wasn’t, please set a new password and contact us right
        away.
      </Paragraph>
      <StrongButton href={`${shop.origin}/forgot-password`}>Set a new password</StrongButton>
    </MailLayout>
  );
}

const passwordResetSubject = "Set a new password";

function PasswordResetMail({ facts, shop }: { facts: MailKinds["password-reset"]; shop: ShopFacts }) {
  const { resetUrl, validMinutes } = facts;
  return (
    <MailLayout
      shop={shop}
      title="Set a new password"
      preview={`The link works once, for ${validMinutes} minutes.`}
      because={`a new password was requested for your account at ${shop.name}`}
    >
      <Paragraph>
        We received a request to reset your password. The link below works once, for {validMinutes} minutes.
      </Paragraph>
      <StrongButton href={resetUrl}>Set a new password</StrongButton>
      <SmallPrint>
        If the button doesn’t work, copy this address into your browser:
        <br />
        <span style={{ wordBreak: "break-all" }}>
          <MailLink href={resetUrl}>{resetUrl}</MailLink>
        </span>
      </SmallPrint>
      <Paragraph>
        If you didn’t ask for this, you don’t need to do anything. Your password stays the same.
      </Paragraph>
    </MailLayout>
  );
}

const accountTakenOverSubject = "You now sign in with Google";

function AccountTakenOverMail({ facts, shop }: { facts: MailKinds["account-taken-over"]; shop: ShopFacts }) {
  return (
    <MailLayout
      shop={shop}
      title={accountTakenOverSubject}
      preview="We removed the old password of your account."
      because={`you have an account at ${shop.name}`}
    >
      <Paragraph>
        You signed in with Google as {facts.email}. There was already an account with this address, but nobody
        had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.
      </Paragraph>
      <Paragraph>
        To keep it safe, we removed the old password and signed out every browser and extension that was using
        the account. Any passes in it are still there.
      </Paragraph>
      <Paragraph>
        Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who
        signed in with Google, please contact us right away.
      </Paragraph>
    </MailLayout>
  );
}

const accountDeletedSubject = "Your account has been deleted";

function AccountDeletedMail({ facts, shop }: { facts: MailKinds["account-deleted"]; shop: ShopFacts }) {
  const { openRefunds, openRefundsPaise } = facts;
  return (
    <MailLayout
      shop={shop}
      title={accountDeletedSubject}
      preview="Your passes have ended, and your data has been removed."
      because={`you had an account at ${shop.name}`}
    >
      <Paragraph>
        Your account at {shop.name} has been deleted, as you asked. Your passes have ended. Payments stay in
        our books, without your name and email address.
      </Paragraph>
      {openRefunds.map(({ toolName, amountPaise }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two refunds may be the same
        <Paragraph key={at}>
          You will still get your refund of {formatPaise(amountPaise)} for {toolName}. The money goes back to
          where you paid from. {BANKS_TAKE}
        </Paragraph>
      ))}
      {openRefunds.length > 1 ? (
        <Paragraph>In total, {formatPaise(openRefundsPaise)} will be refunded to you.</Paragraph>
      ) : null}
      <Paragraph>
        This is our last email to you. If it wasn’t you who deleted the account, please contact us right away.
      </Paragraph>
    </MailLayout>
  );
}

const codeReportedSubject = ({ toolName, serverName }: MailKinds["code-reported"]) =>
  `Reported: the code for ${serverName} of ${toolName}`;

function CodeReportedMail({ facts, shop }: { facts: MailKinds["code-reported"]; shop: ShopFacts }) {
  const { toolName, serverName, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title="A buyer reports a code that doesn’t work"
      preview={`${serverName} of ${toolName}`}
      because={`you manage the tools at ${shop.name}`}
    >
      <Paragraph>
        A buyer says that the access code for {serverName} of {toolName} doesn’t work. Please check it. When
        you replace it, its buyers get the new code.
      </Paragraph>
      <StrongButton href={adminUrl}>Open the access codes</StrongButton>
      <SmallPrint>
        More reports of this code are counted in the admin area. We won’t email you about it again until the
        code changes.
      </SmallPrint>
    </MailLayout>
  );
}

const credentialMissingSubject = ({ toolName }: MailKinds["credential-missing"]) =>
  `Buyers of ${toolName} get no sign-in`;

function CredentialMissingMail({ facts, shop }: { facts: MailKinds["credential-missing"]; shop: ShopFacts }) {
  const { toolName, isAmbiguous, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      title={`Buyers of ${toolName} get no sign-in`}
      preview={isAmbiguous ? "Several credentials fit." : "There is no active credential."}
      because={`you manage the tools at ${shop.name}`}
    >
      <Paragraph>
        The page of {toolName} offers an email and a password, but buyers with a pass can’t get them.{" "}
        {isAmbiguous
          ? "Several credentials fit this tool, so none is shown. Please choose one in the tool’s form."
          : "No active credential fits this tool. Please activate or add one, or choose another in the tool’s form."}
      </Paragraph>
      <StrongButton href={adminUrl}>Open the credentials</StrongButton>
      <SmallPrint>We won’t email you about this tool again until it has a sign-in.</SmallPrint>
    </MailLayout>
  );
}

const paymentNotTakenSubject = ({ amountPaise, toolName }: MailKinds["payment-not-taken"]) =>
  `We didn’t take your payment of ${formatPaise(amountPaise)} for ${toolName}`;

function PaymentNotTakenMail({ facts, shop }: { facts: MailKinds["payment-not-taken"]; shop: ShopFacts }) {
  const { toolName, amountPaise, reason } = facts;
  const amount = formatPaise(amountPaise);
  return (
    <MailLayout
      shop={shop}
      title={`We didn’t take your ${amount}`}
      preview={`For ${toolName}: ${reason}`}
      because={`you started a payment at ${shop.name}`}
    >
      <Paragraph>
        Your bank approved a payment of {amount} for {toolName}, but we didn’t take it. {reason}
      </Paragraph>
      <Paragraph>
        If the amount has left your account, your bank returns it automatically, {UNCAPTURED_RETURNS}. You
        don’t need to do anything.
      </Paragraph>
    </MailLayout>
  );
}

const paymentRefundedSubject = ({ amountPaise, toolName }: MailKinds["payment-refunded"]) =>
  `Refund started: ${formatPaise(amountPaise)} for ${toolName}`;

function PaymentRefundedMail({ facts, shop }: { facts: MailKinds["payment-refunded"]; shop: ShopFacts }) {
  const { toolName, amountPaise, reason } = facts;
  return (
    <MailLayout
      shop={shop}
      title="Refund started"
      preview={`${formatPaise(amountPaise)} for ${toolName}`}
      because={`you paid for a pass at ${shop.name}`}
    >
      <Paragraph>
        We’ve started a refund of {formatPaise(amountPaise)} for {toolName}. {reason}
      </Paragraph>
      <Paragraph>
        The money goes back to where you paid from. {BANKS_TAKE} You don’t need to do anything.
      </Paragraph>
    </MailLayout>
  );
}

interface Template<Kind extends MailKind> {
  subject: (facts: MailKinds[Kind]) => string;
  Mail: (props: { facts: MailKinds[Kind]; shop: ShopFacts }) => ReactElement;
}

const templates: { [Kind in MailKind]: Template<Kind> } = {
  "password-reset": { subject: () => passwordResetSubject, Mail: PasswordResetMail },
  "password-changed": { subject: () => passwordChangedSubject, Mail: PasswordChangedMail },
  "account-taken-over": { subject: () => accountTakenOverSubject, Mail: AccountTakenOverMail },
  "account-deleted": { subject: () => accountDeletedSubject, Mail: AccountDeletedMail },
  "google-linked": { subject: () => googleLinkedSubject, Mail: GoogleLinkedMail },
  "purchase-receipt": {
    subject: (facts) => purchaseMailSubject("purchase-receipt", facts),
    Mail: PurchaseReceiptMail,
  },
  "pass-assigned": {
    subject: (facts) => purchaseMailSubject("pass-assigned", { ...facts, testMode: false }),
    Mail: PassAssignedMail,
  },
  "payment-refunded": { subject: paymentRefundedSubject, Mail: PaymentRefundedMail },
  "payment-not-taken": { subject: paymentNotTakenSubject, Mail: PaymentNotTakenMail },
  "codes-used-up": { subject: codesUsedUpSubject, Mail: CodesUsedUpMail },
  "back-in-stock": { subject: backInStockSubject, Mail: BackInStockMail },
  "giveaway-won": { subject: giveawayWonSubject, Mail: GiveawayWonMail },
  "backup-overdue": { subject: () => backupOverdueSubject, Mail: BackupOverdueMail },
  "code-reported": { subject: codeReportedSubject, Mail: CodeReportedMail },
  "credential-missing": { subject: credentialMissingSubject, Mail: CredentialMissingMail },
  "test-mail": { subject: () => testMailSubject, Mail: TestMail },
};

const line = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

/** The plain text has a fact on each line: "Amount paid: ₹149". */
const PLAIN_TEXT: Parameters<typeof toPlainText>[1] = {
  wordwrap: false,
  selectors: [
    { selector: "a.brand", format: "anchor", options: { ignoreHref: true } },
    { selector: "h1", format: "heading", options: { uppercase: false } },
    { selector: "table.facts", format: "block", options: { leadingLineBreaks: 2, trailingLineBreaks: 2 } },
    { selector: "table.fact", format: "block", options: line },
    { selector: "td.name", format: "inlineSurround", options: { suffix: ": " } },
    { selector: "td.value", format: "inline" },
  ],
};

/** The shop's mails, with React Email. The plain text is made from the HTML. */
export const reactMailTemplates: MailTemplates = {
  async render(kind, facts, shop) {
    const { subject, Mail } = templates[kind];
    const html = await render(<Mail facts={facts} shop={shop} />);
    return { subject: subject(facts), html, text: toPlainText(html, PLAIN_TEXT) };
  },
};
