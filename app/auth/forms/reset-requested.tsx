import type { ReactNode } from "react";
import { Banner } from "../../ui/banner.tsx";
import { useShared } from "../../use-shared.ts";
import { MAIL_UNAVAILABLE } from "../auth-messages.ts";

const CONTACT = "Contact support";

/** After a reset was requested: the mail is on its way, or the shop cannot send any and says where help is. */
export function ResetRequested({ result }: { result: { message?: string; delivered?: boolean } }) {
  if (result.delivered !== false) return <Banner tone="success">{result.message}</Banner>;
  const [before, after] = MAIL_UNAVAILABLE.split(CONTACT);
  return (
    <Banner tone="warning">
      {before}
      <SupportLink>{CONTACT}</SupportLink>
      {after}
    </Banner>
  );
}

/** Before a reset is requested: what the shop will do. */
export function ResetIntro() {
  const { sendsMail } = useShared();
  return (
    <p className="text-muted">
      {sendsMail ? (
        "Enter your email address and we’ll send you a link to set a new password."
      ) : (
        <>
          This shop does not send email, so no link will arrive. <SupportLink>Ask support</SupportLink> for a
          link to set a new password.
        </>
      )}
    </p>
  );
}

/** Plain text in a shop without a support number. */
function SupportLink({ children }: { children: ReactNode }) {
  const supportUrl = useShared().store.supportChatUrl;
  if (supportUrl === null) return children;
  return (
    <a
      href={supportUrl}
      target="_blank"
      rel="noreferrer"
      className="font-medium text-ink underline underline-offset-2"
    >
      {children}
    </a>
  );
}
