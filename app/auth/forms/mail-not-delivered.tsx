import { Banner } from "../../ui/banner.tsx";
import { useShared } from "../../use-shared.ts";

/** The shop has no mail server: the mail waits with the owner, and the buyer should not wait for it. */
export function MailNotDelivered() {
  const supportUrl = useShared().store.supportChatUrl;
  const support = "contact support";
  return (
    <Banner tone="warning">
      This shop can’t deliver email yet. Please{" "}
      {supportUrl === null ? (
        support
      ) : (
        <a
          href={supportUrl}
          target="_blank"
          rel="noreferrer"
          className="font-medium underline underline-offset-2"
        >
          {support}
        </a>
      )}{" "}
      instead of waiting for it.
    </Banner>
  );
}
