import { Banner } from "../../ui/banner.tsx";
import { useShared } from "../../use-shared.ts";
import { MAIL_UNAVAILABLE } from "../auth-messages.ts";

const CONTACT = "Contact support";

/** After a reset was requested: the mail is on its way, or the shop cannot send any and says where help is. */
export function ResetRequested({ result }: { result: { message?: string; delivered?: boolean } }) {
  const supportUrl = useShared().store.supportChatUrl;
  if (result.delivered !== false) return <Banner tone="success">{result.message}</Banner>;
  if (supportUrl === null) return <Banner tone="warning">{MAIL_UNAVAILABLE}</Banner>;
  const [before, after] = MAIL_UNAVAILABLE.split(CONTACT);
  return (
    <Banner tone="warning">
      {before}
      <a
        href={supportUrl}
        target="_blank"
        rel="noreferrer"
        className="font-medium underline underline-offset-2"
      >
        {CONTACT}
      </a>
      {after}
    </Banner>
  );
}
