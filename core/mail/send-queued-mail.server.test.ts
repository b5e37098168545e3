import { asc, isNotNull } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { mailMessages } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { brokenMailTemplates } from "#tests/fixtures/open-test-shop.ts";
import { refundMessage } from "../refund-reasons.ts";
import { HOUR, MINUTE } from "../time.ts";
import { MailRefusedError, type MailTransport } from "./mail-templates.ts";
import { queueMail } from "./queue-mail.server.ts";
import { sendQueuedMail } from "./send-queued-mail.server.ts";

const shop = await openAccountsShop();
const facts = { resetUrl: "https://shop.example/reset-password?token=x", validMinutes: 60 };
const start = Date.now();

const outbox = () =>
  shop.db.select().from(mailMessages).orderBy(asc(mailMessages.createdAt), asc(mailMessages.recipient));
const queue = (to: string, validUntil?: Date) =>
  queueMail({ ...shop.system(), clock: { now: () => new Date(start) } }, shop.db, {
    to,
    kind: "password-reset",
    facts,
    ...(validUntil && { validUntil }),
  });

/** A mail server. `attempts` are the recipients of the mails that it got; it answers each with `answer`. */
function fakeTransport(answer: (to: string) => Error | null = () => null): MailTransport & {
  attempts: string[];
} {
  const attempts: string[] = [];
  return {
    attempts,
    async send({ to }) {
      attempts.push(to);
      const error = answer(to);
      if (error !== null) throw error;
    },
  };
}

function systemWith(mailTransport: MailTransport, at = new Date()) {
  return { ...shop.system({ mailTransport }), clock: { now: () => at } };
}

beforeEach(async () => {
  await shop.db.delete(mailMessages).where(isNotNull(mailMessages.id));
  shop.triggeredJobs.length = 0;
});

test("a template that fails costs the mail and not the transaction, unless the mail is what was asked for", async () => {
  const logged: string[] = [];
  const system = shop.system();
  const broken = {
    ...system,
    log: { ...system.log, error: (_: object, message: string) => void logged.push(message) },
    ports: { ...system.ports, mailTemplates: brokenMailTemplates },
  };
  const refund = {
    toolName: "Canva",
    amountPaise: 14_900,
    reason: refundMessage("out-of-stock"),
    testMode: false,
  };
  await queueMail(broken, shop.db, { to: "a@example.com", kind: "payment-refunded", facts: refund });
  expect(await outbox()).toEqual([]);
  expect(logged).toEqual(["a mail cannot be rendered"]);
  const reset = { to: "a@example.com", kind: "password-reset", facts } as const;
  await expect(queueMail(broken, shop.db, reset)).rejects.toThrow("broken");
});

test("mail stays queued in the outbox without a mail server", async () => {
  await queue("a@example.com");
  expect(shop.triggeredJobs).toEqual(["send-mail"]);
  expect(await sendQueuedMail(shop.system())).toEqual({ sent: 0, failed: 0 });
  expect(await outbox()).toMatchObject([{ status: "queued", tries: 0, kind: "password-reset" }]);
});

test("eight parallel senders send each mail once", async () => {
  for (const name of ["a", "b", "c", "d"]) await queue(`${name}@example.com`);
  const transport = fakeTransport();
  await Promise.all(Array.from({ length: 8 }, () => sendQueuedMail(systemWith(transport))));
  expect(transport.attempts.toSorted()).toEqual(["a", "b", "c", "d"].map((name) => `${name}@example.com`));
  expect((await outbox()).map((mail) => mail.status)).toEqual(["sent", "sent", "sent", "sent"]);
});

test("a mail that is refused for now is tried again after 1, 5, 30, 120, 360 and 960 minutes, then fails, and delays no other mail", async () => {
  await queue("full@example.com");
  await queue("here@example.com");
  const full = new MailRefusedError("452 mailbox full", { isPermanent: false });
  const triedAfter: number[] = [];
  for (let minutes = 0; minutes <= 30 * 60; minutes++) {
    const transport = fakeTransport((to) => (to === "full@example.com" ? full : null));
    await sendQueuedMail(systemWith(transport, new Date(start + minutes * MINUTE + 1000)));
    if (transport.attempts.includes("full@example.com")) triedAfter.push(minutes);
    if (minutes === 0) expect(transport.attempts).toContain("here@example.com");
  }
  expect(triedAfter).toEqual([0, 1, 6, 36, 156, 516, 1476]);
  expect(await outbox()).toMatchObject([
    { status: "failed", tries: 7, lastError: "452 mailbox full" },
    { status: "sent", tries: 1 },
  ]);
}, 60_000);

test("a mail whose recipient is refused for good fails at once", async () => {
  await queue("gone@example.com");
  const gone = new MailRefusedError("550 no such mailbox", { isPermanent: true });
  await sendQueuedMail(systemWith(fakeTransport(() => gone)));
  expect(await outbox()).toMatchObject([{ status: "failed", tries: 1, lastError: "550 no such mailbox" }]);
});

test("a server that is not available is asked once a run and uses up no tries; when it is back, every mail is sent once", async () => {
  const names = ["a", "b", "c", "d", "e"].map((name) => `${name}@example.com`);
  for (const name of names) await queue(name);
  const dead = fakeTransport(() => new Error("connect ECONNREFUSED"));
  // Longer than all tries of a mail together.
  for (let minutes = 0; minutes < 3 * 24 * 60; minutes += 90) {
    const before = dead.attempts.length;
    await sendQueuedMail(systemWith(dead, new Date(start + minutes * MINUTE + 1000)));
    expect(dead.attempts.length - before).toBe(1);
  }
  expect(new Set(dead.attempts).size).toBe(5);
  for (const mail of await outbox()) {
    expect(mail).toMatchObject({ status: "queued", tries: 0, lastError: "connect ECONNREFUSED" });
  }
  const alive = fakeTransport();
  const later = new Date(start + 3 * 24 * HOUR + MINUTE);
  expect(await sendQueuedMail(systemWith(alive, later))).toEqual({ sent: 5, failed: 0 });
  expect(alive.attempts.toSorted()).toEqual(names);
});

test("a mail at which the server always closes the connection delays the others by one run at most", async () => {
  await queue("huge@example.com");
  // Mails of the same millisecond have no order.
  await shop.db.update(mailMessages).set({ nextTryAt: new Date(start - 1000) });
  for (const name of ["b", "c"]) await queue(`${name}@example.com`);
  const transport = fakeTransport((to) => (to === "huge@example.com" ? new Error("socket closed") : null));
  await sendQueuedMail(systemWith(transport, new Date(start + 1000)));
  expect(transport.attempts).toEqual(["huge@example.com"]);
  await sendQueuedMail(systemWith(transport, new Date(start + MINUTE)));
  expect(transport.attempts.slice(1, 3).toSorted()).toEqual(["b@example.com", "c@example.com"]);
});

test("a reset mail is not sent after its link has expired, and its text is erased", async () => {
  await queue("a@example.com", new Date(start + HOUR));
  const transport = fakeTransport();
  await sendQueuedMail(systemWith(transport, new Date(start + HOUR)));
  expect(transport.attempts).toEqual([]);
  expect(await outbox()).toMatchObject([
    { status: "failed", lastError: "Not sent in time: its link no longer works.", html: "", text: "" },
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
  const refund = {
    toolName: "Canva",
    amountPaise: 14_900,
    reason: refundMessage("out-of-stock"),
    testMode: false,
  };
  await queueMail(shop.system(), shop.db, { to: "a@example.com", kind: "payment-refunded", facts: refund });
  await sendQueuedMail(systemWith(fakeTransport()));
  const [mail] = await outbox();
  expect(mail?.status).toBe("sent");
  expect(mail?.text).toContain("Canva");
});

test("a mail is sent again five minutes after its sender crashed", async () => {
  await queue("a@example.com");
  // The process of this sender ends while it sends.
  void sendQueuedMail(systemWith({ send: () => new Promise(() => {}) }, new Date(start + 1000)));
  await expect.poll(async () => (await outbox())[0]?.nextTryAt.getTime()).toBe(start + 1000 + 5 * MINUTE);
  const transport = fakeTransport();
  await sendQueuedMail(systemWith(transport, new Date(start + 4 * MINUTE)));
  expect(transport.attempts).toEqual([]);
  await sendQueuedMail(systemWith(transport, new Date(start + 6 * MINUTE)));
  expect(transport.attempts).toEqual(["a@example.com"]);
});

test("only the system may send queued mail", async () => {
  await expect(sendQueuedMail(shop.visitor())).rejects.toMatchObject({ code: "forbidden" });
});
