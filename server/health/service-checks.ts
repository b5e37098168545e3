import { checkRazorpayKeys } from "#adapters/razorpay/razorpay-gateway.ts";
import { checkMailServer } from "#adapters/smtp/smtp-transport.ts";
import { failed, type HealthCheck, ok, skipped, type Verdict, warning } from "#core/health/health-check.ts";
import { judgeClock } from "#core/health/rules.ts";
import { GatewayError } from "#core/payments/payment-gateway.ts";
import type { Env } from "../env.ts";

/** Longer than all attempts of the gateway's adapter take. */
const LIMIT_MS = 12_000;
/** Shorter than the limit of a check, so that the reason is known. */
const MAIL_SILENCE_MS = 6_000;

/** The checks of what others run for the shop: the mail server and the gateway. */
export function serviceChecks(env: Env): HealthCheck[] {
  let aheadMs: number | null = null;
  return [
    { id: "mail", run: () => checkMail(env) },
    {
      id: "gateway",
      limitMs: LIMIT_MS,
      run: async () => {
        if (env.paymentGateway !== "razorpay" || env.razorpay === undefined) return judgeNoGateway(env);
        try {
          aheadMs = await checkRazorpayKeys(env.razorpay);
          return ok(
            env.razorpay.keyId.startsWith("rzp_test_")
              ? "The gateway accepts the keys. They are test keys: no money moves."
              : "The gateway accepts the keys.",
          );
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          return explainGateway(error);
        }
      },
    },
    {
      id: "gateway-clock",
      needs: ["gateway"],
      run: () =>
        aheadMs === null
          ? skipped("No payment gateway was asked for the time.")
          : judgeClock(aheadMs, "gateway"),
    },
  ];
}

function judgeNoGateway(env: Env): Verdict {
  const remedy =
    "Create API keys in the Razorpay dashboard, add these lines to the settings, and restart the shop:";
  const command = "RAZORPAY_KEY_ID=rzp_live_…\nRAZORPAY_KEY_SECRET=…";
  if (env.paymentGateway === "none")
    return warning("Payments are not set up: nobody can buy.", remedy, command);
  if (!env.originIsLoopback)
    return warning("Payments are in test mode: everybody gets passes without paying.", remedy, command);
  return ok("Payments are in test mode: no money moves.");
}

function explainGateway({ httpStatus, message }: GatewayError): Verdict {
  if (httpStatus === 401)
    return failed(
      "The gateway refuses the keys of the shop: nobody can pay, and no refund is sent.",
      "Copy both keys from the Razorpay dashboard (Account & Settings → API Keys) into the settings, and restart the shop:",
      "RAZORPAY_KEY_ID=…\nRAZORPAY_KEY_SECRET=…",
    );
  if (httpStatus === null)
    return failed(
      `The gateway cannot be reached: ${message}.`,
      "Check the connection of this machine to the internet, and its firewall.",
      "curl -sI https://api.razorpay.com",
    );
  return failed(
    `The gateway does not work for this shop: ${message}.`,
    "Look for a message in the Razorpay dashboard and at status.razorpay.com, then check again.",
  );
}

async function checkMail({ smtpUrl, mailFrom }: Env): Promise<Verdict> {
  if (smtpUrl === undefined)
    return warning(
      "No mail server is set: receipts and password resets are not sent.",
      "Add the mail server to the settings, and restart the shop:",
      "SMTP_URL=smtps://user:password@mail.example.com:465",
    );
  const { host } = new URL(smtpUrl);
  const problem = await checkMailServer({ url: smtpUrl, from: mailFrom, silenceMs: MAIL_SILENCE_MS });
  if (problem === null) return ok(`The mail server at ${host} accepts the shop and its sender.`);
  if (problem.refused === "sender")
    return failed(
      `The mail server at ${host} refuses the sender ${mailFrom}: no mail is sent. It answers: ${problem.reason}.`,
      "Set an address that this mail server may send from, and restart the shop:",
      "MAIL_FROM=shop@example.com",
    );
  if (problem.refused === "sign-in")
    return failed(
      `The mail server at ${host} refuses the user or the password: no mail is sent.`,
      "Correct both in SMTP_URL (write special characters as percent codes, such as %40 for @), and restart the shop:",
      "SMTP_URL=smtps://user:password@mail.example.com:465",
    );
  return failed(
    `The mail server at ${host} cannot be used: ${problem.reason}.`,
    "Check the host and the port in SMTP_URL. Many hosting providers block port 25; use 465 or 587.",
  );
}
