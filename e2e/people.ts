import { randomUUID } from "node:crypto";
import { type APIResponse, expect, type Page } from "@playwright/test";
import { z } from "zod";

export const PASSWORD = "monsoon-at-the-sea-9";

export function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

/** What the shop's pages send: without an Origin of the shop, a request with cookies is refused. */
function sameOrigin(page: Page): { origin: string } {
  return { origin: process.env.E2E_BASE_URL ?? new URL(page.url()).origin };
}

/** A POST as the page itself would make it, with the cookies of its browser. */
export function post(page: Page, path: string, data: Record<string, unknown>): Promise<APIResponse> {
  return page.request.post(path, { data, headers: sameOrigin(page), maxRedirects: 0 });
}

export function postForm(page: Page, path: string, form: Record<string, string>): Promise<APIResponse> {
  return page.request.post(path, { form, headers: sameOrigin(page), maxRedirects: 0 });
}

/** An account made without the screens, for journeys about something else. The page's browser is signed in. */
export async function becomeUser(page: Page): Promise<{ email: string }> {
  const email = newEmail();
  const answer = await post(page, "/api/auth/sign-up/email", { email, password: PASSWORD });
  expect(answer.status(), await answer.text()).toBe(200);
  return { email };
}

const started = z.object({ orderId: z.string() });
const paid = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});
const confirmed = z.object({ state: z.literal("success") });

/** A pass bought without the screens, through the same addresses they use. */
export async function buy(page: Page, slug: string, option: string): Promise<void> {
  const { orderId } = started.parse(await (await post(page, "/checkout/start", { slug, option })).json());
  const payment = await post(page, "/sandbox-gateway/checkout/pay", { order_id: orderId });
  const proof = paid.parse(await payment.json());
  const confirmation = await post(page, "/checkout/confirm", {
    orderId: proof.razorpay_order_id,
    paymentId: proof.razorpay_payment_id,
    signature: proof.razorpay_signature,
  });
  confirmed.parse(await confirmation.json());
}
