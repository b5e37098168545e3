import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { PageReader, PageUser } from "#app/middleware/request-context.ts";
import { createSharedPages, type TemplateRequest } from "./shared-pages.ts";

const ASHA: PageUser = { email: "asha@example.com", displayName: "Asha", isAdmin: false };
const readerFor = (user: PageUser | null, access: ReadonlyMap<string, Date> = new Map()): PageReader => ({
  user: async () => user,
  accessUntil: async () => access,
});

/** Writes the data of a page as the router does, and counts the renderings. */
function createPages(
  options: { body?: (user: PageUser) => string; status?: number | ((path: string) => number) } = {},
) {
  let version: number | null = 1;
  const rendered: TemplateRequest[] = [];
  const pages = createSharedPages(() => version);
  const render = async (template: TemplateRequest) => {
    rendered.push(template);
    const user = await template.reader.user();
    if (user === null) throw new Error("the template has no user");
    const data = JSON.stringify(
      JSON.stringify(["email", user.email, "name", user.displayName, user.isAdmin]),
    );
    const html = `<p>${options.body?.(user) ?? "page"}</p><script nonce="${template.nonce}">enqueue(${data.replaceAll("<", "\\u003c")})</script>`;
    const headers = { "content-type": "text/html; charset=utf-8" };
    const { status = 200 } = options;
    const { pathname } = new URL(template.request.url);
    return {
      response: new Response(html, {
        status: typeof status === "number" ? status : status(pathname),
        headers,
      }),
      videoUrl: "https://v.example",
    };
  };
  const ask = async (reader: PageReader, path = "/", init: RequestInit = {}) => {
    const request = new Request(`http://localhost${path}`, init);
    const page = await pages.answer({ request, reader, nonce: "bm9uY2U=", render });
    return page && { ...page, html: await page.response.text() };
  };
  const change = (to: number | null) => {
    version = to;
  };
  return { ask, rendered, change };
}

/** What the script of the page reads. */
function dataOf(html: string | undefined): unknown {
  const script = /<script nonce="bm9uY2U=">(.*)<\/script>$/.exec(html ?? "")?.[1];
  let data = "";
  runInNewContext(script ?? "", { enqueue: (text: string) => (data = text) });
  return JSON.parse(data);
}

test("two readers get the same rendering, each with the own name, address and nonce", async () => {
  const { ask, rendered } = createPages();
  const first = await ask(readerFor(ASHA));
  expect(dataOf(first?.html)).toEqual(["email", "asha@example.com", "name", "Asha", false]);
  expect(first?.videoUrl).toBe("https://v.example");
  expect(first?.response.headers.get("cache-control")).toBe("private, no-cache");
  const second = await ask(readerFor({ ...ASHA, email: "ravi@example.com", displayName: "Ravi" }));
  expect(dataOf(second?.html)).toEqual(["email", "ravi@example.com", "name", "Ravi", false]);
  expect(second?.html).not.toContain("sha");
  expect(rendered).toHaveLength(1);
});

test.each([
  `</script><script>steal()</script>`,
  `"quotes" and \\backslashes\\ and \\"`,
  `\u2028line\u2029 & ₹ 😀 \n`,
  `$& $1 \${x}`,
])("the name %j stays a text", async (displayName) => {
  const { ask } = createPages();
  const page = await ask(readerFor({ ...ASHA, displayName }));
  expect(dataOf(page?.html)).toEqual(["email", ASHA.email, "name", displayName, false]);
  expect(page?.html.match(/<\/?script/g)).toEqual(["<script", "</script"]);
});

test("the rendering gets no header and no fact of the reader who asks first", async () => {
  const { ask, rendered } = createPages();
  await ask(readerFor(ASHA), "/", { headers: { cookie: "daypass.session_token=x" } });
  const [template] = rendered;
  expect([...(template?.request.headers ?? [])]).toEqual([]);
  expect(JSON.stringify(await template?.reader.user())).not.toMatch(/asha/i);
  expect((await template?.reader.accessUntil())?.size).toBe(0);
});

test("an admin gets a page of admins", async () => {
  const { ask, rendered } = createPages();
  await ask(readerFor(ASHA));
  expect(dataOf((await ask(readerFor({ ...ASHA, isAdmin: true })))?.html)).toContain(true);
  expect(rendered).toHaveLength(2);
});

test.each<[string, PageReader, string, RequestInit]>([
  ["a reader with a pass", readerFor(ASHA, new Map([["canva", new Date()]])), "/", {}],
  ["a visitor", readerFor(null), "/", {}],
  ["a search", readerFor(ASHA), "/?q=canva", {}],
  ["a page that is not public", readerFor(ASHA), "/dashboard", {}],
  ["a form", readerFor(ASHA), "/", { method: "POST" }],
])("%s gets no shared page", async (_, reader, path, init) => {
  const { ask, rendered } = createPages();
  expect(await ask(reader, path, init)).toBeNull();
  expect(rendered).toHaveLength(0);
});

test.each<[string, Parameters<typeof createPages>[0]]>([
  ["shows the name outside of its data", { body: (user) => user.displayName }],
  ["shows the address outside of its data", { body: (user) => `<a href="mailto:${user.email}">` }],
  ["is an error", { status: 404 }],
])("a page that %s is not shared", async (_, options) => {
  const { ask } = createPages(options);
  expect(await ask(readerFor(ASHA))).toBeNull();
});

test("pages that cannot be shared are tried once, and do not end shared ones, however many there are", async () => {
  const { ask, rendered } = createPages({ status: (path) => (path === "/" ? 200 : 404) });
  await ask(readerFor(ASHA));
  for (let page = 0; page < 150; page++)
    expect(await ask(readerFor(ASHA), `/shop/unknown-${page}`)).toBeNull();
  expect(rendered).toHaveLength(151);
  expect(await ask(readerFor(ASHA), "/shop/unknown-149")).toBeNull();
  expect(await ask(readerFor(ASHA))).not.toBeNull();
  expect(rendered).toHaveLength(151);
});

test("a change of the catalogue ends a shared page, and none exists while changes are not heard", async () => {
  const { ask, rendered, change } = createPages();
  await ask(readerFor(ASHA));
  change(2);
  await ask(readerFor(ASHA));
  expect(rendered).toHaveLength(2);
  change(null);
  expect(await ask(readerFor(ASHA))).toBeNull();
});
