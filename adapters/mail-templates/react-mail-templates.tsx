import { render, toPlainText } from "@react-email/render";
import type { ReactElement } from "react";
import {
  type MailKind,
  type MailKinds,
  type MailTemplates,
  purchaseMailSubject,
  type ShopFacts,
} from "#core/mail/mail-templates.ts";
import { formatPaise } from "#core/money.ts";
import { BANK_DAYS_MAXIMUM, refundMessage, UNCAPTURED_RETURNS } from "#core/refund-reasons.ts";
import { NO_END } from "#core/time.ts";
import { MailLayout, MailLink, Paragraph, SmallPrint, StrongButton, TestPurchase } from "./mail-layout.tsx";
import { type MailTexts, textsIn } from "./mail-texts.ts";
import { PurchaseReceiptMail } from "./purchase-receipt-mail.tsx";

interface MailProps<Kind extends MailKind> {
  facts: MailKinds[Kind];
  shop: ShopFacts;
  texts: MailTexts;
}

function PassAssignedMail({ facts, shop, texts }: MailProps<"pass-assigned">) {
  const { toolName: tool, until, toolUrl } = facts;
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("You have access to {tool}", { tool })}
      preview={
        until === null
          ? t("A pass from {shop}", { shop: shop.name })
          : until === NO_END
            ? t("Your pass has no end.")
            : t("Your pass works until {until}.", { until })
      }
      because={becauseOfAccount(shop, texts)}
    >
      <Paragraph>
        {until === null
          ? t("{shop} has given you a pass for {tool}. It has since ended.", { shop: shop.name, tool })
          : until === NO_END
            ? t("{shop} has given you a pass for {tool}. It has no end.", { shop: shop.name, tool })
            : t("{shop} has given you a pass for {tool}. It works until {until}.", {
                shop: shop.name,
                tool,
                until,
              })}
      </Paragraph>
      {until === null ? null : <StrongButton href={toolUrl}>{t("Open {tool}", { tool })}</StrongButton>}
      <Paragraph>{t("There’s nothing to pay, and the pass doesn’t renew automatically.")}</Paragraph>
    </MailLayout>
  );
}

const becauseOfAccount = (shop: ShopFacts, { t }: MailTexts) =>
  t("You’re getting this email because you have an account at {shop}.", { shop: shop.name });

const testMailSubject = "Test email from your shop";

function TestMail({ facts, shop, texts }: MailProps<"test-mail">) {
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={testMailSubject}
      preview="Your shop can send email."
      because={`You’re getting this email because you asked ${shop.name} for a test email.`}
    >
      <Paragraph>
        You asked for this email in the admin area on {facts.sentAt}. It arrived, so receipts, password resets
        and refund notices reach your buyers too.
      </Paragraph>
      <Paragraph>If it was in your spam folder, check the SPF and DKIM records of your domain.</Paragraph>
    </MailLayout>
  );
}

function GiveawayWonMail({ facts, shop, texts }: MailProps<"giveaway-won">) {
  const { toolName: tool, until, toolUrl } = facts;
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("You won a pass for {tool}", { tool })}
      preview={t("It’s ready and works until {until}.", { until })}
      because={t("You’re getting this email because you claimed the daily giveaway at {shop}.", {
        shop: shop.name,
      })}
    >
      <Paragraph>
        {t(
          "You were the first to claim today’s giveaway. Your free pass for {tool} is ready and works until {until}.",
          { tool, until },
        )}
      </Paragraph>
      <StrongButton href={toolUrl}>{t("Open {tool}", { tool })}</StrongButton>
      <Paragraph>{t("There’s nothing to pay, and the pass doesn’t renew automatically.")}</Paragraph>
    </MailLayout>
  );
}

function BackInStockMail({ facts, shop, texts }: MailProps<"back-in-stock">) {
  const { toolName: tool, shopUrl } = facts;
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("{tool} is back", { tool })}
      preview={t("You can get a pass again.")}
      because={t("You’re getting this email because you asked {shop} to tell you when {tool} is back.", {
        shop: shop.name,
        tool,
      })}
    >
      <Paragraph>
        {t("{tool} is in stock again. We can’t reserve one, so it’s first come, first served.", { tool })}
      </Paragraph>
      <StrongButton href={shopUrl}>{t("Get {tool}", { tool })}</StrongButton>
      <SmallPrint>{t("We won’t email you about this again unless you ask us to.")}</SmallPrint>
    </MailLayout>
  );
}

function GoogleLinkedMail({ facts, shop, texts }: MailProps<"google-linked">) {
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("You can now sign in with Google")}
      preview={t("Your password still works.")}
      because={becauseOfAccount(shop, texts)}
    >
      <Paragraph>
        {t(
          "Someone just signed in with Google as {email}. From now on you can open your account with Google as well as with your password.",
          facts,
        )}
      </Paragraph>
      <Paragraph>
        {t(
          "If it was you, there is nothing to do. If it wasn’t, please change your password, sign out all other browsers on your account page, and contact us right away.",
        )}
      </Paragraph>
    </MailLayout>
  );
}

const codesUsedUpSubject = ({ toolName, serverName }: MailKinds["codes-used-up"]) =>
  `No codes left for ${toolName}, ${serverName}`;

function CodesUsedUpMail({ facts, shop, texts }: MailProps<"codes-used-up">) {
  const { toolName, serverName, codesUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={`No codes left for ${toolName}`}
      preview={`A buyer with a pass is waiting for a code for ${serverName}.`}
      because={`You’re getting this email because you run ${shop.name}.`}
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

function BackupOverdueMail({ facts, shop, texts }: MailProps<"backup-overdue">) {
  const { lastAt, reason, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={backupOverdueSubject}
      preview={lastAt === null ? "There is no verified backup yet." : `The last one is from ${lastAt}.`}
      because={`You’re getting this email because you run ${shop.name}.`}
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

function PasswordChangedMail({ facts, shop, texts }: MailProps<"password-changed">) {
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("Your password was changed")}
      preview={t("If it was you, there is nothing to do.")}
      because={becauseOfAccount(shop, texts)}
    >
      <Paragraph>
        {t(
          "The password of your account {email} was just changed. All other browsers were signed out.",
          facts,
        )}
      </Paragraph>
      <Paragraph>
        {t(
          "If it was you, there is nothing to do. If it wasn’t, please set a new password and contact us right away.",
        )}
      </Paragraph>
      <StrongButton href={`${shop.origin}/forgot-password`}>{t("Set a new password")}</StrongButton>
    </MailLayout>
  );
}

function PasswordResetMail({ facts, shop, texts }: MailProps<"password-reset">) {
  const { resetUrl, validMinutes: minutes } = facts;
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("Set a new password")}
      preview={t("The link works once, for {minutes} minutes.", { minutes })}
      because={t(
        "You’re getting this email because a new password was requested for your account at {shop}.",
        { shop: shop.name },
      )}
    >
      <Paragraph>
        {t(
          "We received a request to reset your password. The link below works once, for {minutes} minutes.",
          { minutes },
        )}
      </Paragraph>
      <StrongButton href={resetUrl}>{t("Set a new password")}</StrongButton>
      <SmallPrint>
        {t("If the button doesn’t work, copy this address into your browser:")}
        <br />
        <span style={{ wordBreak: "break-all" }}>
          <MailLink href={resetUrl}>{resetUrl}</MailLink>
        </span>
      </SmallPrint>
      <Paragraph>
        {t("If you didn’t ask for this, you don’t need to do anything. Your password stays the same.")}
      </Paragraph>
    </MailLayout>
  );
}

function AccountTakenOverMail({ facts, shop, texts }: MailProps<"account-taken-over">) {
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("You now sign in with Google")}
      preview={t("We removed the old password of your account.")}
      because={becauseOfAccount(shop, texts)}
    >
      <Paragraph>
        {t(
          "You signed in with Google as {email}. There was already an account with this address, but nobody had ever confirmed it. Google has confirmed that the address is yours, so the account is now yours.",
          facts,
        )}
      </Paragraph>
      <Paragraph>
        {t(
          "To keep it safe, we removed the old password and signed out every browser and extension that was using the account. Any passes in it are still there.",
        )}
      </Paragraph>
      <Paragraph>
        {t(
          "Would you like a password as well? Choose “Forgot password?” when you sign in. If it wasn’t you who signed in with Google, please contact us right away.",
        )}
      </Paragraph>
    </MailLayout>
  );
}

function AccountDeletedMail({ facts, shop, texts }: MailProps<"account-deleted">) {
  const { openRefunds, openRefundsPaise } = facts;
  const { t } = texts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("Your account has been deleted")}
      preview={t("Your passes have ended, and your data has been removed.")}
      because={t("You’re getting this email because you had an account at {shop}.", { shop: shop.name })}
    >
      <Paragraph>
        {t(
          "Your account at {shop} has been deleted, as you asked. Your passes have ended. Payments stay in our books, without your name and email address.",
          { shop: shop.name },
        )}
      </Paragraph>
      {openRefunds.map(({ toolName: tool, amountPaise, byHand }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two refunds may be the same
        <Paragraph key={at}>
          {t(
            byHand
              ? "You will still get your refund of {amount} for {tool}. You paid the shop directly, so the shop gives the money back to you itself. If it has not arrived in a few days, please contact us."
              : "You will still get your refund of {amount} for {tool}. The money goes back to where you paid from. Banks take 5 to {days} days to show it.",
            { amount: formatPaise(amountPaise), tool, days: BANK_DAYS_MAXIMUM },
          )}
        </Paragraph>
      ))}
      {openRefunds.length > 1 ? (
        <Paragraph>
          {t("In total, {amount} will be refunded to you.", { amount: formatPaise(openRefundsPaise) })}
        </Paragraph>
      ) : null}
      <Paragraph>
        {t(
          "This is our last email to you. If it wasn’t you who deleted the account, please contact us right away.",
        )}
      </Paragraph>
    </MailLayout>
  );
}

const codeReportedSubject = ({ toolName, serverName }: MailKinds["code-reported"]) =>
  `Reported: the code for ${serverName} of ${toolName}`;

function CodeReportedMail({ facts, shop, texts }: MailProps<"code-reported">) {
  const { toolName, serverName, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title="A buyer reports a code that doesn’t work"
      preview={`${serverName} of ${toolName}`}
      because={`You’re getting this email because you manage the tools at ${shop.name}.`}
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

function CredentialMissingMail({ facts, shop, texts }: MailProps<"credential-missing">) {
  const { toolName, isAmbiguous, adminUrl } = facts;
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={`Buyers of ${toolName} get no sign-in`}
      preview={isAmbiguous ? "Several credentials fit." : "There is no active credential."}
      because={`You’re getting this email because you manage the tools at ${shop.name}.`}
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

function PaymentNotTakenMail({ facts, shop, texts }: MailProps<"payment-not-taken">) {
  const { t } = texts;
  const { toolName: tool } = facts;
  const amount = formatPaise(facts.amountPaise);
  const reason = t(facts.reason);
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("We didn’t take your {amount}", { amount })}
      preview={t("For {tool}: {reason}", { tool, reason })}
      because={t("You’re getting this email because you started a payment at {shop}.", { shop: shop.name })}
    >
      {facts.testMode ? <TestPurchase texts={texts} /> : null}
      <Paragraph>
        {t("Your bank approved a payment of {amount} for {tool}, but we didn’t take it. {reason}", {
          amount,
          tool,
          reason,
        })}
      </Paragraph>
      <Paragraph>
        {t(
          "If the amount has left your account, your bank returns it automatically, {when}. You don’t need to do anything.",
          { when: t(UNCAPTURED_RETURNS) },
        )}
      </Paragraph>
    </MailLayout>
  );
}

function PaymentRefundedMail({ facts, shop, texts }: MailProps<"payment-refunded">) {
  const { t } = texts;
  const { toolName: tool } = facts;
  const amount = formatPaise(facts.amountPaise);
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t(facts.isHeld ? "Refund on hold" : "Refund started")}
      preview={t("{amount} for {tool}", { amount, tool })}
      because={t("You’re getting this email because you paid for a pass at {shop}.", { shop: shop.name })}
    >
      {facts.testMode ? <TestPurchase texts={texts} /> : null}
      <Paragraph>
        {t(
          facts.isHeld
            ? "We owe you a refund of {amount} for {tool}. {reason}"
            : "We’ve started a refund of {amount} for {tool}. {reason}",
          { amount, tool, reason: t(facts.reason) },
        )}
      </Paragraph>
      <Paragraph>
        {facts.isHeld
          ? t(
              "You disputed this payment at your bank, so the refund waits until the bank has decided. Then the money comes back from the bank or from us. You don’t need to do anything.",
            )
          : facts.reason === refundMessage("cancelled-and-given-back")
            ? t(
                "You paid the shop directly, so it does not come from a payment company. If it has not arrived in a few days, please contact us.",
              )
            : t(
                "The money goes back to where you paid from. Banks take 5 to {days} days to show it. You don’t need to do anything.",
                { days: BANK_DAYS_MAXIMUM },
              )}
      </Paragraph>
    </MailLayout>
  );
}

function PaymentChargedBackMail({ facts, shop, texts }: MailProps<"payment-charged-back">) {
  const { t } = texts;
  const { toolName: tool } = facts;
  const amount = formatPaise(facts.amountPaise);
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={t("Your bank has returned {amount}", { amount })}
      preview={t("{amount} for {tool}", { amount, tool })}
      because={t("You’re getting this email because you paid for a pass at {shop}.", { shop: shop.name })}
    >
      {facts.testMode ? <TestPurchase texts={texts} /> : null}
      <Paragraph>
        {t(
          "You disputed your payment for {tool} at your bank, and the bank has decided for you. It returns {amount} to you, so a pass that came with this payment has ended.",
          { amount, tool },
        )}
      </Paragraph>
      <Paragraph>
        {t("If you didn’t dispute this payment, or you want a pass again, please contact us.")}
      </Paragraph>
    </MailLayout>
  );
}

function DisputeOpenedMail({ facts, shop, texts }: MailProps<"dispute-opened">) {
  const { toolName, paymentId, amountPaise, reason, respondBy, mustRefund, adminUrl } = facts;
  const amount = formatPaise(amountPaise);
  return (
    <MailLayout
      shop={shop}
      texts={texts}
      title={`A buyer disputes a payment of ${amount}`}
      preview={respondBy === null ? `Payment ${paymentId}` : `Answer by ${respondBy}.`}
      because={`You’re getting this email because you run ${shop.name}.`}
    >
      <Paragraph>
        The bank wants {amount} of payment {paymentId} back
        {toolName === null ? ", which this shop does not know" : `, paid for ${toolName}`}.{" "}
        {reason === null ? null : `Reason: ${reason}`}
      </Paragraph>
      <Paragraph>
        {mustRefund
          ? "The bank reports it as fraud. Please refund it: the payment provider leaves that to you."
          : "Please answer it in the dashboard of the payment provider. Until it is decided, the shop does not refund this payment."}
        {respondBy === null ? null : ` The last day to answer is ${respondBy}.`}
      </Paragraph>
      <StrongButton href={adminUrl}>Open the admin area</StrongButton>
    </MailLayout>
  );
}

interface Template<Kind extends MailKind> {
  subject: (facts: MailKinds[Kind], t: MailTexts["t"]) => string;
  Mail: (props: MailProps<Kind>) => ReactElement;
}

/** Those to buyers have their texts from `texts`, in the language of the buyer; those to the owner are in English. */
const templates: { [Kind in MailKind]: Template<Kind> } = {
  "password-reset": { subject: (_, t) => t("Set a new password"), Mail: PasswordResetMail },
  "password-changed": { subject: (_, t) => t("Your password was changed"), Mail: PasswordChangedMail },
  "account-taken-over": { subject: (_, t) => t("You now sign in with Google"), Mail: AccountTakenOverMail },
  "account-deleted": { subject: (_, t) => t("Your account has been deleted"), Mail: AccountDeletedMail },
  "google-linked": { subject: (_, t) => t("You can now sign in with Google"), Mail: GoogleLinkedMail },
  "purchase-receipt": {
    subject: (facts, t) => t(purchaseMailSubject("purchase-receipt", facts), { tool: facts.toolName }),
    Mail: PurchaseReceiptMail,
  },
  "pass-assigned": {
    subject: ({ toolName: tool }, t) =>
      t(purchaseMailSubject("pass-assigned", { testMode: false }), { tool }),
    Mail: PassAssignedMail,
  },
  "payment-refunded": {
    subject: ({ amountPaise, toolName: tool, isHeld }, t) =>
      t(isHeld ? "Refund on hold: {amount} for {tool}" : "Refund started: {amount} for {tool}", {
        amount: formatPaise(amountPaise),
        tool,
      }),
    Mail: PaymentRefundedMail,
  },
  "payment-not-taken": {
    subject: ({ amountPaise, toolName: tool }, t) =>
      t("We didn’t take your payment of {amount} for {tool}", { amount: formatPaise(amountPaise), tool }),
    Mail: PaymentNotTakenMail,
  },
  "payment-charged-back": {
    subject: ({ amountPaise, toolName: tool }, t) =>
      t("Your bank has returned {amount} for {tool}", { amount: formatPaise(amountPaise), tool }),
    Mail: PaymentChargedBackMail,
  },
  "dispute-opened": {
    subject: ({ amountPaise, toolName }) =>
      `Disputed payment: ${formatPaise(amountPaise)}${toolName === null ? "" : ` for ${toolName}`}`,
    Mail: DisputeOpenedMail,
  },
  "back-in-stock": {
    subject: ({ toolName: tool }, t) => t("{tool} is back", { tool }),
    Mail: BackInStockMail,
  },
  "giveaway-won": {
    subject: ({ toolName: tool }, t) => t("You won today’s giveaway: {tool}", { tool }),
    Mail: GiveawayWonMail,
  },
  "codes-used-up": { subject: codesUsedUpSubject, Mail: CodesUsedUpMail },
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
  async render(kind, facts, { shop, language }) {
    const { subject, Mail } = templates[kind];
    const texts = textsIn(language);
    const html = await render(<Mail facts={facts} shop={shop} texts={texts} />);
    return { subject: subject(facts, texts.t), html, text: toPlainText(html, PLAIN_TEXT) };
  },
};
