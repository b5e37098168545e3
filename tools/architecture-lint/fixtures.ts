import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Small repositories as text, so that no other tool sees their deliberate violations. */
export type Tree = Record<string, string>;

/** Writes the files into a new temporary folder and returns it. */
export function writeTree(tree: Tree): string {
  const root = mkdtempSync(join(tmpdir(), "architecture-"));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A repository without a violation, with an import of each allowed kind. */
export const CLEAN: Tree = {
  ".gitignore": "build/\ndata/\n",
  "build/server/utils.js": "export const bundled = process.env;\n",
  "app/root.tsx": 'import { Button } from "./ui/button.tsx";\nexport default () => <Button />;\n',
  "app/routes.ts": "export const routes = [];\n",
  "app/ui/button.tsx":
    'import { size } from "./size.ts";\nexport const Button = () => <button>{size}</button>;\n',
  "app/ui/size.ts": "export const size = 1;\n",
  "app/checkout/pay.tsx":
    'import type { Route } from "./+types/pay";\nimport { redeem } from "#core/coupons/redeem-coupon.server.ts";\nimport { wire } from "#contracts/wire.ts";\nimport sheet from "./pay.css?url";\nexport const loader = (args: Route.LoaderArgs) => [redeem, wire, sheet, args];\n',
  "app/checkout/pay.css": "a { color: red; }\n",
  "core/money.ts": "export const paise = 100;\n",
  "core/coupons/rules.ts": 'import { paise } from "../money.ts";\nexport const least = paise;\n',
  "core/coupons/queries.server.ts":
    'import { coupons } from "#db/tables/coupons.ts";\nexport const find = () => coupons;\n',
  "core/coupons/redeem-coupon.server.ts":
    'import { find } from "./queries.server.ts";\nimport { least } from "./rules.ts";\nexport const redeem = () => [find, least];\n',
  "core/coupons/rules.test.ts":
    'import { fresh } from "../../tools/testing/database.ts";\nimport { list } from "#core/catalog/list-tools.server.ts";\nimport { main } from "#server/compose.ts";\nexport const test = [fresh, list, main, process.env];\n',
  "core/coupons/testing/samples.ts":
    'import type { list } from "#core/catalog/list-tools.server.ts";\nexport type Sample = typeof list;\n',
  "core/catalog/list-tools.server.ts":
    'import type { Redeemed } from "#core/catalog/kinds.ts";\nimport { redeem } from "#core/coupons/redeem-coupon.server.ts";\nexport const list = (r: Redeemed) => [r, redeem];\n',
  "core/catalog/kinds.ts": "export type Redeemed = string;\n",
  "adapters/smtp/send.ts":
    'import nodemailer from "nodemailer";\nimport { paise } from "#core/money.ts";\nimport { coupons } from "#db/tables/coupons.ts";\nexport const send = [nodemailer, paise, coupons];\n',
  "db/tables/coupons.ts": 'import { pgTable } from "drizzle-orm/pg-core";\nexport const coupons = pgTable;\n',
  "server/env.ts": "export const port = process.env.PORT;\n",
  "server/embedded-postgres/supervisor.ts":
    'import { port } from "../env.ts";\nexport const start = () => port;\n',
  "server/main.ts":
    'import { start } from "./embedded-postgres/supervisor.ts";\nimport { port } from "./env.ts";\nimport "./signals.ts";\nstart();\nawait import("../build/server/index.js");\nconsole.log(port);\n',
  "server/signals.ts":
    'import { port } from "./env.ts";\nimport type { paise } from "#core/money.ts";\nexport type P = typeof paise | typeof port;\n',
  "server/compose.ts":
    'import { send } from "#adapters/smtp/send.ts";\nimport { routes } from "#app/routes.ts";\nimport { paise } from "#core/money.ts";\nimport { coupons } from "#db/tables/coupons.ts";\nimport { port } from "./env.ts";\nexport const main = [send, routes, paise, coupons, port];\n',
  "contracts/wire.ts": 'import { z } from "zod";\nexport const wire = z;\n',
  "extension/background.ts": 'import { wire } from "#contracts/wire.ts";\nexport const run = wire;\n',
  "bin/daypass.mjs": 'import "../server/main.ts";\nconsole.log(process.env.PATH);\n',
  "tools/testing/database.ts": "export const fresh = process.env.TEST_DATABASE_URL;\n",
  "tools/verify.ts":
    'import { fresh } from "./testing/database.ts";\nimport { list } from "#core/catalog/list-tools.server.ts";\nconsole.log(fresh, list);\n',
  "e2e/buy.ts": 'import { fresh } from "../tools/testing/database.ts";\nexport const buy = fresh;\n',
  "vite.config.ts": "export default { mode: process.env.MODE };\n",
};

export interface ViolationCase {
  rule: string;
  /** Added to the clean tree. */
  tree: Tree;
  /** The beginnings of all expected lines, in order. */
  reports: string[];
}

const lines = (count: number) => "export const line = 1;\n".repeat(count);
const longFunction = (count: number) => `export function long() {\n${"  call();\n".repeat(count - 2)}}\n`;

export const VIOLATIONS: ViolationCase[] = [
  {
    rule: "refuses a module of the bundle behind an import of the bootstrap",
    tree: {
      "server/main.ts": '\nimport "./signals.ts";\nimport "./first.ts";\n',
      "server/first.ts": 'import "./second.ts";\n',
      "server/second.ts": 'import { paise } from "#core/money.ts";\npaise;\n',
    },
    reports: ["server/main.ts:3 imports server/first.ts, which leads to core/money.ts"],
  },
  {
    rule: "refuses an unknown top-level folder",
    tree: { "lib/thing.ts": "export const thing = 1;\n" },
    reports: ["lib/thing.ts:1 the architecture has no such top-level folder"],
  },
  {
    rule: "refuses an import of another domain's queries",
    tree: { "core/catalog/extra.ts": 'import { find } from "#core/coupons/queries.server.ts";\nfind();\n' },
    reports: [
      "core/catalog/extra.ts:1 imports core/coupons/queries.server.ts: the queries of another domain are private",
    ],
  },
  {
    rule: "refuses a relative import of another top-level folder",
    tree: {
      "core/extra.ts":
        '\nimport "../bench/load.ts";\nimport type { B } from "../db/b.ts";\nexport { c } from "../app/c.ts";\nexport type D = B;\n',
    },
    reports: ["bench/load.ts", "db/b.ts", "app/c.ts"].map(
      (target, at) => `core/extra.ts:${at + 2} imports ${target} by a relative path`,
    ),
  },
  {
    rule: "refuses two domains that import each other, a type-only import included",
    tree: {
      "core/coupons/extra.ts":
        '\nimport type { Redeemed } from "../catalog/kinds.ts";\nexport type R = Redeemed;\n',
    },
    reports: [
      "core/catalog/list-tools.server.ts:2 the domains core/catalog → core/coupons → core/catalog import each other: core/catalog/list-tools.server.ts:2 imports core/coupons/redeem-coupon.server.ts; core/coupons/extra.ts:2 imports core/catalog/kinds.ts",
    ],
  },
  {
    rule: "refuses a cycle of three domains without a cycle of files, and reports it once",
    tree: {
      "core/coupons/extra.ts": 'import type { Entry } from "#core/audit/entry.ts";\nexport type E = Entry;\n',
      "core/audit/entry.ts": "export type Entry = string;\n",
      "core/audit/subject.ts":
        'import type { Redeemed } from "#core/catalog/kinds.ts";\nexport type Subject = Redeemed;\n',
    },
    reports: [
      "core/audit/subject.ts:1 the domains core/audit → core/catalog → core/coupons → core/audit import each other",
    ],
  },
  {
    rule: "refuses an import within a type",
    tree: { "db/extra.ts": 'export type D = import("#core/d.ts").D;\n' },
    reports: ["db/extra.ts:1 imports #core/d.ts within a type"],
  },
  {
    rule: "refuses a read of the environment that Biome does not see",
    tree: {
      "adapters/extra.ts":
        'import { env } from "node:process";\nconst { env: mine } = process;\nexport const all = [env, mine];\n',
    },
    reports: [1, 2].map((line) => `adapters/extra.ts:${line} reads the environment`),
  },
  {
    rule: "refuses a barrel of types",
    tree: { "core/all.ts": 'export type { A } from "./a.ts";\n' },
    reports: ["core/all.ts:1 only re-exports other files"],
  },
  {
    rule: "refuses a barrel in two steps",
    tree: { "core/all.ts": 'import { paise } from "./money.ts";\nexport { paise };\n' },
    reports: ["core/all.ts:1 only re-exports other files"],
  },
  {
    rule: "refuses JSX in core",
    tree: { "core/mail/letter.tsx": "export const Letter = () => <p>Hello</p>;\n" },
    reports: ["core/mail/letter.tsx:1 core holds no JSX"],
  },
  ...[
    "core/utils.ts",
    "core/common.ts",
    "app/helpers.tsx",
    "app/misc.css",
    "core/date-utils.ts",
    "app/helpers/a.ts",
  ].map((path) => ({
    rule: `refuses the vague name of ${path}`,
    tree: { [path]: "a { color: red; }\n".repeat(path.endsWith("css") ? 1 : 0) },
    reports: [
      `${path}:1 '${/[\w-]*(?:utils|common|helpers|misc)/.exec(path)?.[0]}' does not say what is inside`,
    ],
  })),
  {
    rule: "refuses a folder or a style sheet that is not kebab-case",
    tree: { "app/my_folder/a.ts": "export const a = 1;\n", "app/myStyle.css": "a { color: red; }\n" },
    reports: [
      "app/my_folder/a.ts:1 'my_folder' is not kebab-case",
      "app/myStyle.css:1 'myStyle' is not kebab-case",
    ],
  },
  {
    rule: "refuses a file that cannot be parsed",
    tree: { "core/extra.ts": "export const fine = 1;\nexport const = 2;\n" },
    reports: ["core/extra.ts:2 cannot be parsed"],
  },
  {
    rule: "limits the 95th percentile of the lengths of files",
    tree: { "core/a.ts": lines(281), "core/b.ts": lines(290), "core/c.ts": lines(281) },
    reports: ["core/c.ts:1 the 95th percentile of files is 281 lines (at most 280), here; 3 of"],
  },
  {
    rule: "limits the median of the lengths of files",
    tree: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`core/m${at}.ts`, lines(81)])),
    reports: [" the median of files is 81 lines (at most 80), here; 40 of"],
  },
  {
    rule: "limits the 95th percentile of the lengths of functions in core",
    tree: { "core/extra.ts": longFunction(61) },
    reports: [
      "core/extra.ts:1 the 95th percentile of functions in core is 61 lines (at most 60), here; 1 of",
    ],
  },
  {
    rule: "limits the 95th percentile of the lengths of functions in app",
    tree: { "app/extra.tsx": `\n${longFunction(121)}` },
    reports: [
      "app/extra.tsx:2 the 95th percentile of functions in app is 121 lines (at most 120), here; 1 of",
    ],
  },
];
