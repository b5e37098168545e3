import { expect, test } from "vitest";
import { formPageHeaders } from "./form-page-headers.server.ts";

test("a page with an account form is kept in no cache, and says when a refused form may be sent again", () => {
  expect(Object.fromEntries(formPageHeaders({ actionHeaders: new Headers() }))).toEqual({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
  });
  const actionHeaders = new Headers({ "Retry-After": "60", "Set-Cookie": "session=1" });
  expect(Object.fromEntries(formPageHeaders({ actionHeaders }))).toEqual({
    "cache-control": "private, no-store",
    "x-robots-tag": "noindex",
    "retry-after": "60",
  });
});
