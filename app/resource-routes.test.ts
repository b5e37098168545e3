import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { endpoints } from "../tests/abuse/endpoints.ts";
import routes from "./routes.ts";

type RouteEntry = (typeof routes)[number];

interface ResourceRoute {
  path: string;
  file: URL;
}

/** The routes of modules without a page. */
function resourceRoutes(entries: readonly RouteEntry[] = routes): ResourceRoute[] {
  return entries.flatMap(({ path = "", file, children = [] }) => {
    const url = new URL(file, import.meta.url);
    const isPage = readFileSync(fileURLToPath(url), "utf8").includes("export default ");
    return [...(isPage ? [] : [{ path: `/${path}`, file: url }]), ...resourceRoutes(children)];
  });
}

/** Without a loader the router would answer a GET request with 400 "Unexpected Server Error". */
test("every resource route has a loader, and one that accepts only POST answers other methods with 405", async () => {
  const postOnly: string[] = [];
  for (const { path, file } of resourceRoutes()) {
    const module: Record<string, unknown> = await import(/* @vite-ignore */ file.href);
    const { loader } = module;
    if (typeof loader !== "function") throw new Error(`${path} has no loader`);
    if (!("action" in module) || loader.length > 0) continue;
    const answer: unknown = await loader();
    if (!(answer instanceof Response)) throw new Error(`${path} answers a GET request with no response`);
    expect([answer.status, answer.headers.get("allow")], path).toEqual([405, "POST"]);
    postOnly.push(path);
  }
  expect(postOnly).toEqual(
    expect.arrayContaining([
      "/dashboard/devices",
      "/admin/access-codes/connection",
      "/giveaway/claim",
      "/shop/:slug/alert",
      "/checkout/start",
      "/tools/:slug/code",
      "/tools/:slug/credential",
      "/tools/:slug/report",
      "/auth/sign-in",
    ]),
  );
});

test("the abuse tests cover every resource route", () => {
  const known = endpoints("/assets/script.js").map(({ path }) => new URL(path, "http://shop.test").pathname);
  for (const { path } of resourceRoutes()) {
    const pattern = new RegExp(`^${path.replace(/:\w+/g, "[^/]+").replace("*", ".+")}$`);
    expect(
      known.some((one) => pattern.test(one)),
      path,
    ).toBe(true);
  }
});
