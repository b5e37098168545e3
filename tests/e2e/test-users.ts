import { randomUUID } from "node:crypto";
import { type APIResponse, expect, type Page } from "@playwright/test";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { EXTENSION_VERSION } from "#contracts/extension-version.ts";

export const PASSWORD = "monsoon-at-the-sea-9";

export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

/** The requests of one person, with the cookies of a page, or of somebody who opens no page. */
export type Client = Pick<Page, "request" | "url">;

/**
 * The shop refuses requests with cookies that do not have its own Origin: the origin of the open page, which may be another
 * shop's.
 */
function sameOrigin(page: Client): { origin: string } {
  const { origin } = new URL(page.url());
  return { origin: origin === "null" ? (process.env.E2E_BASE_URL ?? origin) : origin };
}

/** Sends a POST as the page does, with the cookies of its browser. */
export function post(page: Client, path: string, data: Record<string, unknown>): Promise<APIResponse> {
  return page.request.post(path, { data, headers: sameOrigin(page), maxRedirects: 0 });
}

export function postForm(page: Client, path: string, form: Record<string, string>): Promise<APIResponse> {
  return page.request.post(path, { form, headers: sameOrigin(page), maxRedirects: 0 });
}

/** Creates an account by API and signs in the browser of the page, for tests about something else. */
export async function signInAsNewUser(page: Client): Promise<{ email: string }> {
  const email = newEmail();
  const response = await post(page, "/api/auth/sign-up/email", { email, password: PASSWORD });
  expect(response.status(), await response.text()).toBe(200);
  return { email };
}

const started = z.object({ gatewayOrderId: z.string() });
const signedPaymentSchema = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});
const confirmed = z.object({ state: z.literal("success") });

/** Buys a pass by the endpoints that the screens use. */
export async function buyPass(page: Client, slug: string, option: string): Promise<void> {
  const { gatewayOrderId } = started.parse(
    await (await post(page, "/checkout/start", { slug, option })).json(),
  );
  const payment = await post(page, "/sandbox-gateway/checkout/pay", { order_id: gatewayOrderId });
  const signedPayment = signedPaymentSchema.parse(await payment.json());
  const confirmation = await post(page, "/checkout/confirm", {
    gatewayOrderId: signedPayment.razorpay_order_id,
    gatewayPaymentId: signedPayment.razorpay_payment_id,
    signature: signedPayment.razorpay_signature,
  });
  confirmed.parse(await confirmation.json());
}

const ticketOf = z.object({ extensionTicket: z.string() });

/**
 * Connects another installation of the extension to the account of a buyer with a pass for ChatGPT Pro, as its requests do. A
 * whole browser for it would show nothing new.
 */
export async function connectDevice(page: Client): Promise<void> {
  const code = await postForm(page, "/tools/chatgpt/code", { serverId: "chatgpt-server-1" });
  const { extensionTicket: ticket } = ticketOf.parse(await code.json());
  const installation = {
    ticket,
    installationId: uuidv7(),
    name: "Chrome on Linux",
    version: EXTENSION_VERSION,
  };
  expect((await post(page, "/extension/devices", installation)).status()).toBe(200);
}
