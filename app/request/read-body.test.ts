import { expect, test } from "vitest";
import { readBody } from "./read-body.ts";

const posted = (body: string, type = "application/x-www-form-urlencoded") =>
  new Request("https://shop.example/", { method: "POST", body, headers: { "content-type": type } });

test("the fields of a form and of a JSON object are read", async () => {
  expect(await readBody(posted("intent=save&name=Asha%20Rao"))).toEqual({ intent: "save", name: "Asha Rao" });
  expect(await readBody(posted('{"name":"Asha"}', "application/json"))).toEqual({ name: "Asha" });
});

test("a body that is neither a form nor JSON has no fields", async () => {
  for (const body of [
    posted("[1", "application/json"),
    posted("null", "application/json"),
    posted("a", "text/plain"),
  ])
    expect(await readBody(body)).toEqual({});
});

test("a form with more fields than any form of the shop has is not parsed", async () => {
  expect(
    Object.keys(await readBody(posted(Array.from({ length: 2_000 }, (_, n) => `f${n}=1`).join("&")))),
  ).toHaveLength(2_000);
  expect(await readBody(posted("a&".repeat(2_001)))).toEqual({});
});
