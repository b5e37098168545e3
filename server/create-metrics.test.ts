import { expect, test } from "vitest";
import routes from "#app/routes.ts";
import { routeGroup } from "./metrics.ts";

test.each([
  ["/", "home"],
  ["/_root.data", "home"],
  ["/dashboard.data", "dashboard"],
  ["/tools/canva", "tools"],
  ["/tools/canva/code", "tools"],
  ["/tools/0199c0de-0000-7000-8000-000000000000.data", "tools"],
  ["/api/auth/get-session", "auth"],
  ["/assets/entry-1a2b3c.js", "files"],
  ["/wp-login.php", "other"],
  ["/constructor", "other"],
  ["//", "home"],
  ["*", "home"],
])("the path %s is counted as %s", (path, group) => {
  expect(routeGroup(path)).toBe(group);
});

test("every page of the sitemap is counted in a group other than other", () => {
  const paths = routes.map(({ path = "" }) => path).filter((path) => path !== "*");
  expect(paths.filter((path) => routeGroup(`/${path}`) === "other")).toEqual([]);
});
