import { eq } from "drizzle-orm";
import { createStaticHandler, RouterContextProvider } from "react-router";
import { expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { users } from "#db/tables/accounts.ts";
import { ORIGIN, openAccountsShop } from "#tests/fixtures/accounts-shop.ts";
import { signUpPerson } from "#tests/fixtures/people.ts";
import { shopContext } from "../request/request-context.ts";
import { action } from "./language-endpoint.ts";

const shop = await openAccountsShop();
const { queryRoute } = createStaticHandler([{ id: "language", path: "/language", action }]);

async function post(ctx: Context, language: string, returnTo: unknown = "/shop/canva"): Promise<Response> {
  const body = JSON.stringify({ language, returnTo });
  const headers = { "content-type": "application/json" };
  const requestContext = new RouterContextProvider();
  requestContext.set(shopContext, ctx);
  const request = new Request(`${ORIGIN}/language`, { method: "POST", body, headers });
  const answer: unknown = await queryRoute(request, { requestContext }).catch((thrown: unknown) => thrown);
  if (!(answer instanceof Response)) throw new Error("the endpoint returned no response", { cause: answer });
  return answer;
}

const languages = async () =>
  (await shop.db.select().from(users).orderBy(users.createdAt)).map(({ language }) => language);

test("the chosen language is kept in the browser and with the account of its person, and of nobody else", async () => {
  const { ctx, userId } = await signUpPerson(shop);
  await signUpPerson(shop);
  const answer = await post(ctx, "hi");
  expect(answer.headers.get("set-cookie")).toContain("daypass.language=hi");
  expect(answer.headers.get("location")).toBe("/shop/canva");
  expect(await languages()).toEqual(["hi", "en"]);
  const [own] = await shop.db.select().from(users).where(eq(users.id, userId));
  expect(own?.language).toBe("hi");
});

test("a visitor's choice is kept in the browser only, and an unknown language nowhere", async () => {
  const before = await languages();
  const answer = await post(shop.visitor(), "hi");
  expect(answer.headers.get("set-cookie")).toContain("daypass.language=hi");
  const { ctx } = await signUpPerson(shop);
  const refused = await post(ctx, "fr");
  expect(refused.status).toBe(422);
  expect(refused.headers.get("set-cookie")).toBeNull();
  expect(await languages()).toEqual([...before, "en"]);
});

test("the language endpoint refuses a page to go back to that is no text", async () => {
  for (const returnTo of [{ length: { valueOf: 1, toString: 1 } }, {}, ["/"], 1]) {
    const answer = await post(shop.visitor(), "hi", returnTo);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([400, null]);
  }
});
