import { expect, test } from "vitest";
import { addCookies } from "./app.ts";

test("a renewed session cookie does not overrule the one a sign-in or sign-out sets", () => {
  const headers = new Headers();
  headers.append("set-cookie", "daypass.session_token=new; Path=/; HttpOnly");
  addCookies(headers, ["daypass.session_token=old; Path=/; HttpOnly", "other=1; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=new; Path=/; HttpOnly", "other=1; Path=/"]);
});

test("without one it goes along", () => {
  const headers = new Headers();
  addCookies(headers, ["daypass.session_token=renewed; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=renewed; Path=/"]);
});
