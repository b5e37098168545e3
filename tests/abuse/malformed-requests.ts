import { type Random, seededRandom } from "../random.ts";
import type { Endpoint } from "./endpoints.ts";

export interface MalformedRequest {
  /** The applied mutations. */
  kind: string;
  text: string;
}

interface Draft {
  method: string;
  path: string;
  headers: Header[];
  body: string;
}

type Header = [name: string, value: string];

const BYTES = [
  "\0",
  "\x01",
  "\x7f",
  "\xff",
  "\u00e9",
  "%00",
  "%",
  "%zz",
  "%ff",
  "\\",
  "<script>",
  "'",
  '"',
  "{{",
  "${",
];
const JUNK = [...BYTES, "A".repeat(9_000), "../".repeat(200), "٠", " ", "null", "[]", "-1", "1e400", "NaN"];
const METHODS = [
  "TRACE",
  "PUT",
  "DELETE",
  "PATCH",
  "OPTIONS",
  "PROPFIND",
  "get",
  "CONNECT",
  "M-SEARCH",
  "FOO",
];
const HOSTS = [
  "327.0.0.1",
  "",
  "a b",
  "localhost:99999",
  "[::1",
  "evil.example",
  "localhost, evil.example",
  "name:password@localhost",
  "localhost:port",
  "[::1]:80",
  "\xff",
];
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const BODIES = [
  "",
  "{",
  "null",
  '"text"',
  "[]",
  deep(12_000),
  `{"slug":${deep(12_000)}}`,
  '{"slug":{"toString":null},"code":[]}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}',
  `{"email":"${"a".repeat(60_000)}","password":"b"}`,
  '{"email":"\\u0000@example.com","password":"\\ud800"}',
  "a&".repeat(30_000),
  "email=%00&password=%ff",
  "=&=&=",
  `${"x=".repeat(1_000)}&intent=sign-in`,
  '--b\r\nContent-Disposition: form-data; name="email"\r\n\r\nx\r\n--b--',
];
const TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=b",
  "multipart/form-data",
  "text/plain",
  "application/json; charset=utf-7",
  "",
];
const QUERIES = [
  "token=%00",
  "q=%",
  "q[]=1&q[]=2",
  "accessCode=%00&sessionCode=%ed%a0%80",
  "tool=",
  "purchaseId='--",
  "index",
];

const OPEN_HEADERS = [
  "x-forwarded-for",
  "origin",
  "referer",
  "accept-encoding",
  "accept",
  "authorization",
  "user-agent",
  "x-razorpay-signature",
  "x-razorpay-event-id",
  "if-none-match",
  "range",
];
const NAMES = ["", "a b", "x\0y", ":", "é"];
const LENGTHS = ["-1", "x", "1e3", "0x10", "99999999999999999999"];
const ENCODINGS = ["chunked", "gzip, chunked", "identity", "chunked, chunked", "x, chunked"];
const CHUNKS = [
  "zz\r\nabc\r\n",
  "5\r\nab\r\n0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
];
const TARGETS = [
  "*",
  "//",
  "/..;/",
  "//evil.example/x",
  "/\\evil.example",
  ":",
  "localhost:80",
  "#",
  "/__proto__",
  "http://evil.example/",
  "http://name:password@localhost/",
  "http://:password@localhost/shop/chatgpt",
  "http://localhost:99999/",
  "http:///x",
  "ftp://localhost/",
  "//name:password@localhost/",
  ...JUNK,
];

/** Each makes one part of a request invalid. */
const MUTATIONS: Record<string, (draft: Draft, random: Random) => Draft> = {
  method: (draft, random) => ({ ...draft, method: random.pick(METHODS) }),
  host: (draft, random) => withHeader(draft, "host", random.pick(HOSTS)),
  "junk in path": (draft, random) => ({ ...draft, path: draft.path + random.pick(JUNK) }),
  "junk as path": (draft, random) => ({ ...draft, path: random.pick(TARGETS) }),
  query: (draft, random) => ({ ...draft, path: `${draft.path}?${random.pick(QUERIES)}` }),
  "data path": (draft) => ({ ...draft, path: `${draft.path.split("?")[0]}.data` }),
  body: (draft, random) => ({
    ...withHeader(draft, "content-type", random.pick(TYPES)),
    method: "POST",
    body: random.pick(BODIES),
  }),
  cookie: (draft, random) => {
    const junk = random.pick(JUNK);
    return withHeader(draft, "cookie", `daypass.session_token=${junk}; __Host-daypass.session_token=${junk}`);
  },
  "header value": (draft, random) => withHeader(draft, random.pick(OPEN_HEADERS), random.pick(JUNK)),
  "header name": (draft, random) => withHeader(draft, random.pick(NAMES), "1"),
  "two hosts": (draft) => ({ ...draft, headers: [...draft.headers, ["host", "evil.example"]] }),
  "absolute target": (draft, random) => ({
    ...draft,
    path: `${random.pick(["http://localhost", "http://name:password@localhost", "https://evil.example:1"])}${draft.path}`,
  }),
  "many headers": (draft) => ({
    ...draft,
    headers: [...draft.headers, ...Array.from({ length: 300 }, (_, n): Header => [`x-${n}`, "1"])],
  }),
  "length too small": (draft) => withHeader(draft, "content-length", "1"),
  "length no number": (draft, random) => withHeader(draft, "content-length", random.pick(LENGTHS)),
  "two lengths": (draft) => ({
    ...draft,
    headers: [...draft.headers, ["content-length", "5"], ["content-length", "6"]],
  }),
  "chunks and length": (draft) =>
    withHeader(withHeader(draft, "content-length", "3"), "transfer-encoding", "chunked"),
  "broken chunks": (draft, random) => ({
    ...withHeader(draft, "transfer-encoding", random.pick(ENCODINGS)),
    method: "POST",
    body: random.pick(CHUNKS),
  }),
  expect: (draft, random) => withHeader(draft, "expect", random.pick(["100-continue", "200-ok", "\xff"])),
  upgrade: (draft) => withHeader(withHeader(draft, "connection", "upgrade"), "upgrade", "websocket"),
};

function withHeader(draft: Draft, name: string, value: string): Draft {
  return { ...draft, headers: [...draft.headers.filter(([known]) => known !== name), [name, value]] };
}

/** The same seed gives the same requests. */
export function malformedRequests(
  endpoints: readonly Endpoint[],
  count: number,
  seed: number,
): MalformedRequest[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const { method = "GET", path, headers = {}, body = "" } = random.pick(endpoints);
    const proper: Draft = {
      method,
      path,
      headers: [["host", "localhost"], ...Object.entries(headers)],
      body,
    };
    const kinds = Array.from({ length: random.between(1, 3) }, () => random.pick(Object.keys(MUTATIONS)));
    const draft = kinds.reduce((changed, kind) => MUTATIONS[kind]?.(changed, random) ?? changed, proper);
    return { kind: kinds.join(", "), text: textOf(draft, random) };
  });
}

function textOf({ method, path, headers, body }: Draft, random: Random): string {
  const hasLength = headers.some(([name]) => name === "content-length" || name === "transfer-encoding");
  const lengths = body !== "" && !hasLength ? [`content-length: ${Buffer.byteLength(body, "latin1")}`] : [];
  const version = random.chance(0.03) ? random.pick(["HTTP/9.9", "HTTP/1.0", "SPDY/1", ""]) : "HTTP/1.1";
  const lines = [
    `${method} ${path} ${version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lengths,
  ];
  return `${lines.join(random.chance(0.02) ? "\n" : "\r\n")}\r\n\r\n${body}`;
}
