import { once } from "node:events";
import { text } from "node:stream/consumers";
import { eq } from "drizzle-orm";
import { SMTPServer } from "smtp-server";
import { afterAll, expect, test } from "vitest";
import { requestPasswordReset, resetPassword } from "#core/accounts/reset-password.server.ts";
import { signInWithEmail, signUpWithEmail } from "#core/accounts/sign-in.server.ts";
import { sendQueuedMail } from "#core/mail/send-queued-mail.server.ts";
import { mailMessages } from "#db/tables/operations.ts";
import { ORIGIN, openAccountsShop, TestBrowser } from "#tests/fixtures/accounts-shop.ts";
import { createSmtpTransport } from "./smtp-transport.ts";

interface ReceivedMail {
  to: string[];
  source: string;
}

const received: ReceivedMail[] = [];
const server = new SMTPServer({
  authMethods: ["PLAIN"],
  disabledCommands: ["STARTTLS"],
  onAuth: ({ username, password }, _session, done) =>
    done(username === "shop" && password === "a-secret" ? null : new Error("535 wrong"), { user: username }),
  onData: (stream, { envelope }, done) => {
    text(stream).then((source) => {
      received.push({ to: envelope.rcptTo.map(({ address }) => address), source });
      done();
    }, done);
  },
});
server.listen(0, "127.0.0.1");
await once(server.server, "listening");
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
const address = server.server.address();
if (address === null || typeof address === "string") throw new Error("the mail server has no port");

const shop = await openAccountsShop({
  mailTransport: createSmtpTransport({
    url: `smtp://shop:a-secret@127.0.0.1:${address.port}`,
    from: "Daypass <shop@example.com>",
  }),
});

/** The text of a mail without the line breaks and escapes of its transfer encoding. */
const decoded = ({ source }: ReceivedMail) => source.replace(/=\r?\n/g, "").replaceAll("=3D", "=");

test("a requested reset arrives at a real mail server, and its link sets the new password", async () => {
  const email = "asha@example.com";
  await signUpWithEmail(shop.visitor(new TestBrowser()), { email, password: "kettle-on" });
  expect(await requestPasswordReset(shop.visitor(), { email })).toEqual({ delivered: true });
  expect(await sendQueuedMail(shop.system())).toEqual({ sent: 1, failed: 0 });
  expect(received.map(({ to }) => to)).toEqual([[email]]);
  const [mail] = received.map(decoded);
  const token = new RegExp(`${ORIGIN}/reset-password\\?token=([\\w-]+)`).exec(mail ?? "")?.[1] ?? "";
  await resetPassword(shop.visitor(), { token, newPassword: "kettle-off" });
  await signInWithEmail(shop.visitor(new TestBrowser()), { email, password: "kettle-off" });
  // The link is in the mail only.
  const [sent] = await shop.db.select().from(mailMessages).where(eq(mailMessages.recipient, email));
  expect(sent).toMatchObject({ status: "sent", text: "", html: "" });
});
