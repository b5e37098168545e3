import type { AdminNotices as Notices } from "#core/reports/read-admin-notices.server.ts";
import { Banner } from "../ui/banner.tsx";
import { PaymentNotices } from "./payment-notices.tsx";

/** What needs the owner's attention: money first, then settings that are missing. */
export function AdminNotices({ payments, mailsWaiting, demoSupportNumbers }: Notices) {
  return (
    <>
      <PaymentNotices {...payments} />
      {mailsWaiting > 0 ? (
        <Banner>
          Mail is not set up: {mailsWaiting} {mailsWaiting === 1 ? "message waits" : "messages wait"} in the
          outbox. Set SMTP_URL and MAIL_FROM, then start the shop again.
        </Banner>
      ) : null}
      {demoSupportNumbers ? (
        <Banner>
          The support numbers are still the demo's. Set your own in SUPPORT_PHONES, then start the shop again.
        </Banner>
      ) : null}
    </>
  );
}
