import { asc, isNotNull } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { openTestShop } from "../accounts/testing/test-shop.ts";
import { MINUTE } from "../time.ts";
import type { MailTransport } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";
import { sendQueuedMail } from "./send-queued-mail.server.ts";

const shop = await openTestShop();
const facts = { resetUrl: "https://shop.example/reset-password?token=x", validMinutes: 60 };

const outbox = () => shop.db.select().from(mailMessages).orderBy(asc(mailMessages.createdAt));
const queue = (to: string) => queueMail(shop.system(), shop.db, { to, kind: "password-reset", facts });

/** Takes mail over, except to the addresses it refuses. */
function server(refused: string[] = []): MailTransport & { taken: string[] } {
  const taken: string[] = [];
  return {
    taken,
    async send({ to }) {
      if (refused.includes(to)) throw new Error("550 no such mailbox");
      taken.push(to);
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

test("without a mail server the mail stays readable in the outbox", async () => {
  await queue("a@example.com");
  expect(shop.jobs).toEqual(["send-mail"]);
  expect(await sendQueuedMail(shop.system())).toEqual({ sent: 0, failed: 0 });
  expect(await outbox()).toMatchObject([{ status: "queued", tries: 0, kind: "password-reset" }]);
});

test("each mail is sent once, also by many senders at the same time", async () => {
  for (const name of ["a", "b", "c", "d"]) await queue(`${name}@example.com`);
  const transport = server();
  await Promise.all(Array.from({ length: 8 }, () => sendQueuedMail(systemWith(transport))));
  expect(transport.taken.toSorted()).toEqual(["a", "b", "c", "d"].map((name) => `${name}@example.com`));
  expect((await outbox()).map((mail) => mail.status)).toEqual(["sent", "sent", "sent", "sent"]);
});

test("a refused mail holds up no other, is tried five times, and then given up", async () => {
  await queue("gone@example.com");
  await queue("here@example.com");
  const transport = server(["gone@example.com"]);
  let at = Date.now();
  for (let n = 0; n < 7; n++) {
    await sendQueuedMail(systemWith(transport, new Date(at)));
    at += 10 * MINUTE;
  }
  expect(transport.taken).toEqual(["here@example.com"]);
  expect(await outbox()).toMatchObject([
    { status: "failed", tries: 5, lastError: "550 no such mailbox" },
    { status: "sent", tries: 1 },
  ]);
});

test("the link of a sent reset mail is readable no more, and what else is known of the mail stays", async () => {
  await queue("a@example.com");
  const [waiting] = await outbox();
  expect(waiting?.html).toContain(facts.resetUrl);
  const sent: string[] = [];
  await sendQueuedMail(systemWith({ send: async ({ html, text }) => void sent.push(html, text) }));
  for (const body of sent) expect(body).toContain(facts.resetUrl);
  const [mail] = await outbox();
  expect(mail).toMatchObject({ status: "sent", kind: "password-reset", recipient: "a@example.com" });
  expect(mail).toMatchObject({
    subject: waiting?.subject,
    createdAt: waiting?.createdAt,
    html: "",
    text: "",
  });
});

test("a mail without a secret link keeps its text after it was sent", async () => {
  const refund = { toolName: "Canva", amountPaise: 14_900, reason: "sold out" };
  await queueMail(shop.system(), shop.db, { to: "a@example.com", kind: "payment-refunded", facts: refund });
  await sendQueuedMail(systemWith(server()));
  const [mail] = await outbox();
  expect(mail?.status).toBe("sent");
  expect(mail?.text).toContain("Canva");
});

test("a mail whose sender died is taken up by the next one, after a while", async () => {
  await queue("a@example.com");
  const now = Date.now();
  await shop.db
    .update(mailMessages)
    .set({ sentAt: new Date(now), tries: 1 })
    .where(isNotNull(mailMessages.id));
  const transport = server();
  await sendQueuedMail(systemWith(transport, new Date(now + 4 * MINUTE)));
  expect(transport.taken).toEqual([]);
  await sendQueuedMail(systemWith(transport, new Date(now + 6 * MINUTE)));
  expect(transport.taken).toEqual(["a@example.com"]);
});

test("only the shop itself sends", async () => {
  await expect(sendQueuedMail(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});
