import { Fragment } from "react";
import { chatUrl } from "#core/chat-url.ts";
import type { ShopFacts } from "#core/mail/mail-templates.ts";
import { MailLink } from "./mail-text.tsx";

/** How to reach the shop: its support chats and its contact page; its address when it has neither. */
export function ReachUs({ shop }: { shop: ShopFacts }) {
  const ways = [
    ...shop.supportPhones.map(({ number }) => ({
      href: chatUrl(number),
      text: number,
      lead: "message us on WhatsApp at ",
    })),
    ...(shop.contactUrl === null ? [] : [{ href: shop.contactUrl, text: "contact page", lead: "see our " }]),
  ];
  if (ways.length === 0) {
    return (
      <>
        You can reach us at <MailLink href={shop.origin}>{new URL(shop.origin).host}</MailLink>.
      </>
    );
  }
  return (
    <>
      Need help? You can{" "}
      {ways.map(({ href, text, lead }, at) => (
        <Fragment key={href}>
          {at === 0 ? null : " or "}
          {at > 0 && ways[at - 1]?.lead === lead ? null : lead}
          <MailLink href={href}>{text}</MailLink>
        </Fragment>
      ))}
      .
    </>
  );
}
