import { once } from "node:events";
import { text } from "node:stream/consumers";
import { asc, isNotNull } from "drizzle-orm";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { queueMail } from "#core/mail/queue-mail.server.ts";
import { sendQueuedMail } from "#core/mail/send-queued-mail.server.ts";
import { refundMessage } from "#core/refund-reasons.ts";
import { MINUTE } from "#core/time.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { freePort } from "#tests/free-port.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

const shop = await openAccountsShop();
const start = Date.now();
const RECIPIENTS = ["a", "b", "c", "d"].map((name) => `${name}@example.com`);

/** A real mail server. `received` are the recipients of the mails that it has accepted. */
async function startMailServer(port: number, options: SMTPServerOptions = {}) {
  const received: string[] = [];
  const senders: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    // Connections that are still open when it is closed are cut at once.
    closeTimeout: 1,
    onData: (stream, { envelope }, done) => {
      text(stream).then((source) => {
        received.push(...envelope.rcptTo.map(({ address }) => address));
        senders.push(/^From: (.*)$/m.exec(source)?.[1] ?? "");
        done();
      }, done);
    },
    ...options,
  });
  server.on("error", () => {});
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { received, senders, server };
}

const times = { silenceMs: 200, deadlineMs: 400 };
const transportTo = (port: number, from = "shop@example.com") =>
  createSmtpTransport({ url: `smtp://127.0.0.1:${port}`, from, ...times });

/** One run of the job, some minutes after the mails were queued. */
const runAfter = (minutes: number, port: number) =>
  sendQueuedMail({
    ...shop.system({ mailTransport: transportTo(port) }),
    clock: { now: () => new Date(start + minutes * MINUTE) },
  });

async function queueAt(minutes: number, to: string): Promise<void> {
  const ctx = { ...shop.system(), clock: { now: () => new Date(start + minutes * MINUTE) } };
  const facts = {
    toolName: "Canva",
    amountPaise: 14_900,
    reason: refundMessage("out-of-stock"),
    testMode: false,
  };
  await queueMail(ctx, shop.db, { to, kind: "payment-refunded", facts });
}

const outbox = () => shop.db.select().from(mailMessages).orderBy(asc(mailMessages.recipient));

beforeEach(async () => {
  await shop.db.delete(mailMessages).where(isNotNull(mailMessages.id));
  for (const to of RECIPIENTS) await queueAt(0, to);
});

test("a mail server that is dead for hours loses no mail: when it is back, every mail arrives once", async () => {
  const port = await freePort();
  for (const minutes of [1, 2, 60, 600, 3_000]) {
    expect(await runAfter(minutes, port)).toEqual({ sent: 0, failed: 0 });
  }
  for (const mail of await outbox()) expect(mail).toMatchObject({ status: "queued", tries: 0 });
  const { received } = await startMailServer(port);
  expect(await runAfter(3_001, port)).toEqual({ sent: 4, failed: 0 });
  expect(await runAfter(3_002, port)).toEqual({ sent: 0, failed: 0 });
  expect(received.toSorted()).toEqual(RECIPIENTS);
});

test("a mail server that is silent after its greeting, or greets nobody, ends the run and loses no mail", async () => {
  const port = await freePort();
  let connections = 0;
  let isStalling = true;
  const { received } = await startMailServer(port, {
    onConnect: (_session, done) => {
      connections++;
      if (!isStalling) done();
    },
    onMailFrom: (_address, _session, done) => {
      if (!isStalling) done();
    },
  });
  expect(await runAfter(1, port)).toEqual({ sent: 0, failed: 0 });
  expect(connections).toBe(1);
  expect((await outbox()).map(({ status, tries }) => [status, tries])).toEqual(Array(4).fill(["queued", 0]));
  isStalling = false;
  expect(await runAfter(3, port)).toEqual({ sent: 4, failed: 0 });
  expect(received.toSorted()).toEqual(RECIPIENTS);
});

test("a mail server that stalls after it has accepted a command ends the run, and the mail arrives later", async () => {
  const port = await freePort();
  let isStalling = true;
  const { received } = await startMailServer(port, {
    onMailFrom: (_address, _session, done) => {
      if (!isStalling) done();
    },
  });
  expect(await runAfter(1, port)).toEqual({ sent: 0, failed: 0 });
  isStalling = false;
  expect(await runAfter(3, port)).toEqual({ sent: 4, failed: 0 });
  expect(received.toSorted()).toEqual(RECIPIENTS);
});

test("a mail at which the server always cuts the connection fails after a day in which other mail is sent, and costs no other mail a try", async () => {
  const port = await freePort();
  const [bad = "", ...others] = RECIPIENTS;
  const attempts: number[] = [];
  let minutes = 1;
  const { received, server } = await startMailServer(port, {
    onRcptTo: ({ address }, _session, done) => {
      if (address !== bad) return done();
      attempts.push(minutes);
      for (const connection of server.connections) connection.close();
    },
  });
  const mails = async () => new Map((await outbox()).map((mail) => [mail.recipient, mail]));
  // The server is away for two days after that: however often the mail is tried meanwhile, one failure counts at most.
  for (; minutes < 5; minutes++) await runAfter(minutes, port);
  expect(received.toSorted()).toEqual(others);
  const triesBefore = (await mails()).get(bad)?.tries ?? 0;
  const away = await freePort();
  for (minutes = 5; minutes < 2 * 24 * 60; minutes += 30) await runAfter(minutes, away);
  expect((await mails()).get(bad)?.tries).toBeLessThanOrEqual(triesBefore + 1);
  expect((await mails()).get(bad)?.status).toBe("queued");

  const back = minutes;
  attempts.length = 0;
  for (; minutes < back + 3 * 24 * 60; minutes += 30) {
    await queueAt(minutes, `other-${minutes}@example.com`);
    await runAfter(minutes, port);
    await runAfter(minutes + 1, port);
  }
  const outcome = await mails();
  expect(outcome.get(bad)).toMatchObject({ status: "failed", tries: 7 });
  expect((attempts.at(-1) ?? 0) - (attempts[0] ?? 0)).toBeGreaterThanOrEqual(24 * 60);
  for (const [recipient, { status, tries }] of outcome)
    if (recipient !== bad)
      expect({ recipient, status, tries }).toEqual({ recipient, status: "sent", tries: 1 });
}, 60_000);

const refusal = (responseCode: number) => Object.assign(new Error("refused"), { responseCode });

test("a recipient that is refused for good fails at once, one that is refused for now is tried again, and all others get their mail", async () => {
  const port = await freePort();
  const tries: string[] = [];
  const { received } = await startMailServer(port, {
    onRcptTo: ({ address }, _session, done) => {
      tries.push(address);
      const isFirstOfB = address === RECIPIENTS[1] && tries.filter((one) => one === address).length === 1;
      if (address === RECIPIENTS[0]) done(refusal(550));
      else done(isFirstOfB ? refusal(451) : null);
    },
  });
  expect(await runAfter(1, port)).toEqual({ sent: 2, failed: 2 });
  expect((await outbox()).map(({ status }) => status)).toEqual(["failed", "queued", "sent", "sent"]);
  await runAfter(2, port);
  await runAfter(100, port);
  expect(tries.toSorted()).toEqual([...RECIPIENTS, RECIPIENTS[1]].toSorted());
  expect(received.toSorted()).toEqual(RECIPIENTS.slice(1));
});

test.each<[string, SMTPServerOptions]>([
  ["refuses the sender", { onMailFrom: (_address, _session, done) => done(refusal(550)) }],
  ["is closing", { onRcptTo: (_address, _session, done) => done(refusal(421)) }],
])("a mail server that %s uses up no tries of any mail", async (_, options) => {
  const port = await freePort();
  await startMailServer(port, options);
  expect(await runAfter(1, port)).toEqual({ sent: 0, failed: 0 });
  for (const mail of await outbox()) expect(mail).toMatchObject({ status: "queued", tries: 0 });
});

test("a mail whose text is refused, even for good, is tried again, because it may be a limit of the day", async () => {
  const port = await freePort();
  await startMailServer(port, {
    onData: (stream, _session, done) => {
      stream.resume().on("end", () => done(refusal(550)));
    },
  });
  expect(await runAfter(1, port)).toEqual({ sent: 0, failed: 4 });
  for (const mail of await outbox()) expect(mail).toMatchObject({ status: "queued", tries: 1 });
});

test("the sender has the name of the shop unless the owner has set another one", async () => {
  const port = await freePort();
  const { senders } = await startMailServer(port);
  const mail = {
    subject: "Hello",
    html: "<p>Hello</p>",
    text: "Hello",
    to: "a@example.com",
    senderName: "Sweets",
  };
  for (const from of ["shop@example.com", "<shop@example.com>", "Owner <shop@example.com>"])
    await transportTo(port, from).send(mail);
  expect(senders).toEqual(["Sweets", "Sweets", "Owner"].map((name) => `${name} <shop@example.com>`));
});
