import { expect, test } from "vitest";
import { addCookies } from "./add-cookies.ts";

test("a renewed session cookie does not replace the one that a sign-in or sign-out sets", () => {
  const headers = new Headers();
  headers.append("set-cookie", "daypass.session_token=new; Path=/; HttpOnly");
  addCookies(headers, ["daypass.session_token=old; Path=/; HttpOnly", "other=1; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=new; Path=/; HttpOnly", "other=1; Path=/"]);
});

test("a renewed session cookie is added to a response without a session cookie", () => {
  const headers = new Headers();
  addCookies(headers, ["daypass.session_token=renewed; Path=/"]);
  expect(headers.getSetCookie()).toEqual(["daypass.session_token=renewed; Path=/"]);
});
