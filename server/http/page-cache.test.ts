import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import type { Topic } from "#core/live/topics.ts";
import { LANGUAGE_CODES } from "#languages/languages.ts";
import { createManualUpdates } from "#tests/fixtures/manual-updates.ts";
import { createPageCache, followCatalogue, hashInlineSources, type InlineSources } from "./page-cache.ts";
import { languageOf } from "./request-language.ts";

const NONCE = "bm9uY2U=";
const headersFor = ({ scripts }: InlineSources) => ({ "content-security-policy": scripts.join(" ") });
const closers: Array<() => void> = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

interface RenderOptions {
  /** Runs while a page is being rendered. */
  whileRendering?: () => void | Promise<void>;
  headers?: Record<string, string>;
  status?: number;
}

/** A server that renders a page with a number, one higher each time, unless the cache has it. */
async function serve({ whileRendering, headers = {}, status = 200 }: RenderOptions = {}) {
  const updates = createManualUpdates();
  const listeners: Array<(topics: readonly Topic[]) => void> = [];
  const clock = { now: 0 };
  let rendered = 0;
  const cache = createPageCache(
    followCatalogue({ ...updates, onAnnounce: (listener) => listeners.push(listener) }),
    () => clock.now,
  );
  const render = async () => {
    rendered++;
    await whileRendering?.();
    const html = `<p>page ${rendered}</p><script nonce="${NONCE}">go()</script>`;
    return new Response(html, { status, headers: { "content-type": "text/html", ...headers } });
  };
  const server = createServer(async (incoming, outgoing) => {
    if (cache.answer(incoming, outgoing, () => "id")) return;
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      headers: { host: String(incoming.headers.host), cookie: incoming.headers.cookie ?? "" },
    });
    const language = languageOf(incoming.headers);
    const shared = await cache.share({ request, language, nonce: NONCE, render, headersFor });
    const response = shared ?? (await render());
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const get = (path = "/", init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const pageNumber = async (path?: string, init?: RequestInit) =>
    Number(/page (\d+)/.exec(await (await get(path, init)).text())?.[1]);
  const change = (topics: readonly Topic[]) => {
    for (const listener of listeners) listener(topics);
  };
  return { updates, clock, get, pageNumber, change, rendered: () => rendered };
}

test("a page is stored for each language", async () => {
  const { pageNumber, rendered } = await serve();
  const hindi = { headers: { "accept-language": "hi-IN,hi;q=0.9,en;q=0.8" } };
  expect(await pageNumber()).toBe(1);
  expect(await pageNumber("/", hindi)).toBe(2);
  expect(await pageNumber(), "stored in English").toBe(1);
  expect(await pageNumber("/", hindi), "stored in Hindi").toBe(2);
  expect(await pageNumber("/", { headers: { cookie: "daypass.language=hi" } }), "chosen").toBe(2);
  expect(rendered()).toBe(2);
});

test("a link with a coupon or the parameters of an advertisement gets the stored page, and no other parameter does", async () => {
  const { pageNumber, rendered } = await serve();
  expect(await pageNumber("/shop/canva?coupon=SAVE20&utm_source=whatsapp")).toBe(1);
  for (const query of ["", "?coupon=OTHER", "?fbclid=1&gclid=2&ref=asha", "?utm_medium=x&UTM_CAMPAIGN=y"])
    expect(await pageNumber(`/shop/canva${query}`), query).toBe(1);
  expect(rendered()).toBe(1);
  expect(await pageNumber("/shop/canva?coupon=SAVE20&page=2"), "not stored").toBe(2);
  expect(await pageNumber("/shop/canva?coupon=SAVE20&page=2"), "not stored").toBe(3);
});

test("100 pages for each language are stored, and the next one replaces the oldest, whatever its language", async () => {
  const { pageNumber } = await serve();
  const hindi = { headers: { "accept-language": "hi" } };
  const MAX_PAGES = 100 * LANGUAGE_CODES.length;
  const readTools = async (from: number) => {
    for (let n = from; n < from + MAX_PAGES / 2; n++) await pageNumber(`/shop/tool-${n}`, hindi);
  };
  expect(await pageNumber()).toBe(1);
  await readTools(0);
  expect(await pageNumber()).toBe(1);
  await readTools(MAX_PAGES / 2);
  expect(await pageNumber()).toBeGreaterThan(MAX_PAGES);
});

test("a public page is rendered once and sent as it was rendered, with hashes of its own scripts in the policy", async () => {
  const { get, rendered } = await serve();
  const first = await get();
  const stored = await get("/", { headers: { "accept-encoding": "br" } });
  expect(stored.headers.get("content-encoding")).toBe("br");
  expect(stored.headers.get("vary")).toBe("Cookie, Accept-Language, Accept-Encoding");
  expect(stored.headers.get("x-request-id")).toBe("id");
  const policy = stored.headers.get("content-security-policy");
  expect(policy).toMatch(/^'sha256-[A-Za-z0-9+/]{43}='$/);
  expect(first.headers.get("content-security-policy"), "of the answer for which it was rendered").toBe(
    policy,
  );
  const page = `<p>page 1</p><script nonce="${NONCE}">go()</script>`;
  expect([await first.text(), await stored.text()]).toEqual([page, page]);
  expect(rendered()).toBe(1);
});

test("a public file that is no page has no inline scripts", async () => {
  const { get } = await serve({ headers: { "content-type": "application/xml" } });
  expect((await get("/sitemap.xml")).headers.get("content-security-policy")).toBe("");
});

test.each([
  ["a page of a signed-in user", "/", { cookie: "__Host-daypass.session_token=x" }],
  ["a search", "/?q=canva", {}],
  ["a page that is not public", "/dashboard", {}],
])("%s is rendered for each request", async (_page, path, headers) => {
  const { pageNumber } = await serve();
  expect(await pageNumber()).toBe(1);
  expect(await pageNumber(path, { headers })).toBe(2);
  expect(await pageNumber(path, { headers })).toBe(3);
});

test.each([
  ["sets a cookie", { headers: { "set-cookie": "a=b" } }],
  ["must not be stored", { headers: { "cache-control": "private, no-store" } }],
  ["is an error", { status: 404 }],
])("an answer that %s is not stored", async (_answer, options) => {
  const { pageNumber } = await serve(options);
  expect([await pageNumber(), await pageNumber()]).toEqual([1, 2]);
});

test("a change in this process empties the cache at once", async () => {
  const { pageNumber, change } = await serve();
  await pageNumber();
  change(["users"]);
  expect(await pageNumber()).toBe(1);
  change(["stock"]);
  expect(await pageNumber()).toBe(2);
});

test("a change in another process empties the cache", async () => {
  const { pageNumber, updates } = await serve();
  await pageNumber();
  updates.change("tools", "2");
  expect(await pageNumber()).toBe(2);
});

test("a page that was being rendered during a change is not stored", async () => {
  let changeOnce: (() => void) | undefined;
  const shop = await serve({ whileRendering: () => changeOnce?.() });
  changeOnce = () => {
    changeOnce = undefined;
    shop.change(["settings"]);
  };
  expect(await shop.pageNumber()).toBe(1);
  expect(await shop.pageNumber()).toBe(2);
  expect(await shop.pageNumber()).toBe(2);
});

test("while changes are not heard, every page is rendered", async () => {
  const { pageNumber, updates } = await serve();
  await pageNumber();
  updates.pause();
  expect([await pageNumber(), await pageNumber()]).toEqual([2, 3]);
  updates.resume();
  expect([await pageNumber(), await pageNumber()]).toEqual([4, 4]);
});

test("a page older than a second is rendered again", async () => {
  const { pageNumber, clock } = await serve();
  await pageNumber();
  clock.now = 999;
  expect(await pageNumber()).toBe(1);
  clock.now = 1000;
  expect(await pageNumber()).toBe(2);
});

test("a hundred requests for a page that is not stored render it once", async () => {
  const { pageNumber, rendered } = await serve();
  const numbers = await Promise.all(Array.from({ length: 100 }, () => pageNumber()));
  expect(new Set(numbers)).toEqual(new Set([1]));
  expect(rendered()).toBe(1);
});

test("a page is stored when its client leaves while it is rendered, because others wait for it", async () => {
  const cache = createPageCache(() => 1);
  const client = new AbortController();
  const rendered: Request[] = [];
  let finish = (_page: string) => {};
  const render = async (request: Request) => {
    rendered.push(request);
    const page = await new Promise<string>((resolve) => {
      finish = resolve;
    });
    return new Response(page);
  };
  const ask = (init?: RequestInit) =>
    cache.share({
      language: "en",
      request: new Request("http://localhost/", init),
      nonce: NONCE,
      render,
      headersFor,
    });
  const first = ask({
    signal: client.signal,
    headers: { cookie: "x=daypass.session_token=1", "user-agent": "a crawler", "accept-language": "hi" },
  });
  const waiting = ask();
  client.abort();
  expect(rendered).toHaveLength(1);
  expect(rendered[0]?.signal.aborted).toBe(false);
  expect([...(rendered[0]?.headers ?? [])], "nothing depends on the browser that asked first").toEqual([]);
  finish("page");
  expect([await (await first)?.text(), await (await waiting)?.text()]).toEqual(["page", "page"]);
  expect(await (await ask())?.text(), "a request that comes later renders nothing").toBe("page");
});

test("a rendering that fails ends the request that began it, and each request that waited renders its own page", async () => {
  const cache = createPageCache(() => 1);
  const ask = () =>
    cache.share({
      language: "en",
      request: new Request("http://localhost/"),
      nonce: NONCE,
      render: () => Promise.reject(new Error("no database")),
      headersFor,
    });
  const [first, waiting] = await Promise.allSettled([ask(), ask()]);
  expect(first).toMatchObject({ status: "rejected", reason: new Error("no database") });
  expect(waiting).toEqual({ status: "fulfilled", value: null });
});

const ours = `nonce="${NONCE}"`;
const hashesOf = (...texts: string[]) =>
  texts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);

/** What the policy allows of a page: the texts of its scripts and of its styles. */
interface Case {
  rule: string;
  html: string;
  scripts?: string[];
  styles?: string[];
}

test.each<Case>([
  {
    rule: "a script and a style with the nonce are allowed",
    html: `<style ${ours}>p > a {}</style><script ${ours}>ours()</script>`,
    scripts: ["ours()"],
    styles: ["p > a {}"],
  },
  {
    rule: "a script of a stored text is not allowed, because it has no nonce",
    html: `<p>&lt;</p><script>evil()</script><style>evil</style><script ${ours}>ours()</script>`,
    scripts: ["ours()"],
  },
  {
    rule: "a nonce of another page allows nothing",
    html: `<script nonce="b3RoZXI=">evil()</script><script nonce="">evil()</script><script data-${ours}>evil()</script>`,
  },
  {
    rule: "a script in a file needs no hash",
    html: `<script src="/a.js" ${ours}></script>`,
  },
  {
    rule: "a module is a script, and data without a nonce is none",
    html: `<script type="application/ld+json">{}</script><script type="module" async="" ${ours}>import "/a.js"</script>`,
    scripts: ['import "/a.js"'],
  },
  {
    rule: "two scripts with the same text have one hash",
    html: `<script ${ours}>same()</script><p></p><script ${ours}>same()</script>`,
    scripts: ["same()"],
  },
  {
    rule: "the end of a style does not end a script, nor the reverse",
    html: `<script ${ours}>a = "</style>"</script><style ${ours}>p::before { content: "</script>" }</style>`,
    scripts: ['a = "</style>"'],
    styles: ['p::before { content: "</script>" }'],
  },
  {
    rule: "the beginning of a script inside a script is text",
    html: `<script ${ours}>a = "<script>"; b = '<script nonce="'</script><p>`,
    scripts: [`a = "<script>"; b = '<script nonce="'`],
  },
  {
    rule: "a script that has been commented out as in old pages ends where browsers end it",
    html: `<script ${ours}><!-- a = "<script>b</script>" --></script><p>`,
    scripts: ['<!-- a = "<script>b</script>" -->'],
  },
  {
    rule: "the text of a script is hashed as it stands, with its entities, spaces and non-Latin characters",
    html: `<script ${ours}>\n a = "&lt;&amp;₹ 😀" \n</script >`,
    scripts: ['\n a = "&lt;&amp;₹ 😀" \n'],
  },
  {
    rule: "a line ends as browsers read it",
    html: `<script ${ours}>a\r\nb\rc</script>`,
    scripts: ["a\nb\nc"],
  },
  {
    rule: "a > in the value of an attribute ends no tag",
    html: `<p title="</p><script ${ours.replaceAll('"', "'")}>no()</script>"><script data-a="b>c" ${ours}>yes()</script>`,
    scripts: ["yes()"],
  },
  {
    rule: "a script inside a comment is not a script",
    html: `<!-- <script ${ours}>no()</script> > --><script ${ours}>yes()</script>`,
    scripts: ["yes()"],
  },
  ...["title", "textarea", "iframe", "noscript", "xmp"].map((element) => ({
    rule: `a script inside of ${element} is text`,
    html: `<body><${element}><script ${ours}>no()</script></${element}><script ${ours}>yes()</script>`,
    scripts: ["yes()"],
  })),
  {
    rule: "an icon before a script changes nothing, and the entities of its own style are read",
    html: `<svg/><script ${ours}>a = "&amp;"</script><svg><style ${ours}>a&gt;b</style></svg>`,
    scripts: ['a = "&amp;"'],
    styles: ["a>b"],
  },
  {
    rule: "the names of elements and attributes are read without regard to their case, and of two nonces the first counts",
    html: `<SCRIPT NONCE='${NONCE}'>yes()</Script><script nonce="x" ${ours}>no()</script>`,
    scripts: ["yes()"],
  },
])("$rule", ({ html, scripts = [], styles = [] }) => {
  expect(hashInlineSources(`<!DOCTYPE html>${html}`, NONCE)).toEqual({
    scripts: hashesOf(...scripts),
    styles: hashesOf(...styles),
  });
});
