import { redirect } from "react-router";
import { z } from "zod";
import { changeLanguage } from "#core/accounts/profile.server.ts";
import { shopPath } from "#core/form-fields.ts";
import { parseInput } from "#core/parse.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { methodNotAllowed, respondWith } from "../request/json-response.ts";
import { readBody } from "../request/read-body.ts";
import { shopContext } from "../request/request-context.ts";
import { LANGUAGE_COOKIE } from "../ui/texts/texts.ts";
import type { Route } from "./+types/language-endpoint";

const YEAR_SECONDS = 31_536_000;

const input = z.object({
  language: z.enum(LANGUAGE_CODES),
  returnTo: z.string().default("/").pipe(shopPath),
});

/**
 * POST { language, returnTo }: keeps the language in a cookie, and with the account of a signed-in person, and goes back to that
 * page of the shop.
 */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
  if (request.method !== "POST") return methodNotAllowed("POST");
  const ctx = context.get(shopContext);
  const body = await readBody(request);
  let data: z.output<typeof input>;
  try {
    data = parseInput(input, body);
  } catch (error) {
    const { status, headers, body: refusal } = await respondWith(ctx, () => Promise.reject(error));
    // A form sends texts only.
    const isForm = Object.values(body).every((value) => typeof value === "string");
    return new Response(refusal, { status: isForm ? status : 400, headers });
  }
  const { kind } = ctx.actor;
  if (kind === "user" || kind === "admin") await changeLanguage(ctx, { language: data.language });
  const attributes = ["Path=/", `Max-Age=${YEAR_SECONDS}`, "SameSite=Lax", "HttpOnly"];
  if (ctx.store.origin.startsWith("https:")) attributes.push("Secure");
  const cookie = [`${LANGUAGE_COOKIE}=${data.language}`, ...attributes].join("; ");
  return redirect(data.returnTo, { headers: { "set-cookie": cookie, "cache-control": "no-store" } });
}

export function loader(): Response {
  return methodNotAllowed("POST");
}
