import { asc, isNotNull } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { openAccountsShop } from "../accounts/testing/accounts-shop.ts";
import { MINUTE } from "../time.ts";
import type { MailTransport } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";
import { sendQueuedMail } from "./send-queued-mail.server.ts";

const shop = await openAccountsShop();
const facts = { resetUrl: "https://shop.example/reset-password?token=x", validMinutes: 60 };

const outbox = () => shop.db.select().from(mailMessages).orderBy(asc(mailMessages.createdAt));
const queue = (to: string) => queueMail(shop.system(), shop.db, { to, kind: "password-reset", facts });

/** A mail server that refuses some recipients. `accepted` are the recipients of the mails that it accepted. */
function fakeTransport(refused: string[] = []): MailTransport & { accepted: string[] } {
  const accepted: string[] = [];
  return {
    accepted,
    async send({ to }) {
      if (refused.includes(to)) throw new Error("550 no such mailbox");
      accepted.push(to);
    },
  };
}

function systemWith(mailTransport: MailTransport, at = new Date()) {
  return { ...shop.system({ mailTransport }), clock: { now: () => at } };
}

beforeEach(async () => {
  await shop.db.delete(mailMessages).where(isNotNull(mailMessages.id));
  shop.jobs.length = 0;
});

test("without a mail server, mail stays queued in the outbox", async () => {
  await queue("a@example.com");
  expect(shop.jobs).toEqual(["send-mail"]);
  expect(await sendQueuedMail(shop.system())).toEqual({ sent: 0, failed: 0 });
  expect(await outbox()).toMatchObject([{ status: "queued", tries: 0, kind: "password-reset" }]);
});

test("eight parallel senders send each mail once", async () => {
  for (const name of ["a", "b", "c", "d"]) await queue(`${name}@example.com`);
  const transport = fakeTransport();
  await Promise.all(Array.from({ length: 8 }, () => sendQueuedMail(systemWith(transport))));
  expect(transport.accepted.toSorted()).toEqual(["a", "b", "c", "d"].map((name) => `${name}@example.com`));
  expect((await outbox()).map((mail) => mail.status)).toEqual(["sent", "sent", "sent", "sent"]);
});

test("a refused mail is tried five times, then fails, and does not delay other mails", async () => {
  await queue("gone@example.com");
  await queue("here@example.com");
  const transport = fakeTransport(["gone@example.com"]);
  let at = Date.now();
  for (let n = 0; n < 7; n++) {
    await sendQueuedMail(systemWith(transport, new Date(at)));
    at += 10 * MINUTE;
  }
  expect(transport.accepted).toEqual(["here@example.com"]);
  expect(await outbox()).toMatchObject([
    { status: "failed", tries: 5, lastError: "550 no such mailbox" },
    { status: "sent", tries: 1 },
  ]);
});

test("the text of a reset mail is erased when it is sent, and its other columns are kept", async () => {
  await queue("a@example.com");
  const [queued] = await outbox();
  expect(queued?.html).toContain(facts.resetUrl);
  const sent: string[] = [];
  await sendQueuedMail(systemWith({ send: async ({ html, text }) => void sent.push(html, text) }));
  for (const body of sent) expect(body).toContain(facts.resetUrl);
  const [mail] = await outbox();
  expect(mail).toMatchObject({ status: "sent", kind: "password-reset", recipient: "a@example.com" });
  expect(mail).toMatchObject({
    subject: queued?.subject,
    createdAt: queued?.createdAt,
    html: "",
    text: "",
  });
});

test("the text of a sent mail without a secret link is kept", async () => {
  const refund = { toolName: "Canva", amountPaise: 14_900, reason: "sold out" };
  await queueMail(shop.system(), shop.db, { to: "a@example.com", kind: "payment-refunded", facts: refund });
  await sendQueuedMail(systemWith(fakeTransport()));
  const [mail] = await outbox();
  expect(mail?.status).toBe("sent");
  expect(mail?.text).toContain("Canva");
});

test("a mail is sent again five minutes after its sender crashed", async () => {
  await queue("a@example.com");
  const now = Date.now();
  await shop.db
    .update(mailMessages)
    .set({ sentAt: new Date(now), tries: 1 })
    .where(isNotNull(mailMessages.id));
  const transport = fakeTransport();
  await sendQueuedMail(systemWith(transport, new Date(now + 4 * MINUTE)));
  expect(transport.accepted).toEqual([]);
  await sendQueuedMail(systemWith(transport, new Date(now + 6 * MINUTE)));
  expect(transport.accepted).toEqual(["a@example.com"]);
});

test("only the system may send queued mail", async () => {
  await expect(sendQueuedMail(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});
