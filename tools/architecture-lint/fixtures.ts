/** Small repositories as text, so that no tool but the house check ever sees their deliberate breaches. */
export type Tree = Record<string, string>;

/** A repository that keeps every rule, with an import of each allowed kind. */
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
    'import { fresh } from "../testing/database.ts";\nimport { main } from "#server/compose.ts";\nexport const test = [fresh, main, process.env];\n',
  "core/catalog/list-tools.server.ts":
    'import type { Redeemed } from "#core/catalog/kinds.ts";\nimport { redeem } from "#core/coupons/redeem-coupon.server.ts";\nexport const list = (r: Redeemed) => [r, redeem];\n',
  "core/catalog/kinds.ts":
    'import type { list } from "./list-tools.server.ts";\nexport type Redeemed = ReturnType<typeof list>;\n',
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

export interface BreachCase {
  rule: string;
  /** Laid over the clean tree. */
  tree: Tree;
  /** The lines expected, complete, in order. */
  reports: string[];
}

const AGAINST: [file: string, specifier: string, because: string][] = [
  ["app/page.tsx", "#adapters/smtp/send.ts", "app may not import adapters"],
  ["app/page.tsx", "#db/tables/coupons.ts", "app may not import db"],
  ["app/page.tsx", "../server/compose.ts", "app may not import server"],
  ["app/page.tsx", "#server/env.ts", "app may not import starter"],
  ["app/ui/card.tsx", "#core/money.ts", "app/ui may not import core"],
  ["app/ui/card.tsx", "../routes.ts", "app/ui may not import app"],
  ["core/coupons/extra.ts", "#app/routes.ts", "core may not import app"],
  ["core/coupons/extra.ts", "#adapters/smtp/send.ts", "core may not import adapters"],
  ["core/coupons/extra.ts", "#contracts/wire.ts", "core may not import contracts"],
  ["adapters/smtp/extra.ts", "#app/routes.ts", "adapters may not import app"],
  ["adapters/smtp/extra.ts", "#server/compose.ts", "adapters may not import server"],
  ["db/extra.ts", "#core/money.ts", "db may not import core"],
  ["contracts/extra.ts", "#core/money.ts", "contracts may not import core"],
  ["extension/extra.ts", "#core/money.ts", "extension may not import core"],
  ["server/extra.ts", "#contracts/wire.ts", "server may not import contracts"],
  ["server/env.ts", "#core/money.ts", "starter may not import core"],
  ["server/embedded-postgres/extra.ts", "#db/tables/coupons.ts", "starter may not import db"],
];

const directionCases = AGAINST.map(([file, specifier, because]): BreachCase => {
  const target = specifier.replace(/^#|^\.\.?\//, "");
  return {
    rule: `direction: ${because} (${file})`,
    tree: { [file]: `\nimport { thing } from "${specifier}";\nthing();\n` },
    reports: [
      `${file}:2 imports ${file.startsWith("server/") && specifier.startsWith("./") ? "server/" : ""}${
        specifier === "../routes.ts" ? "app/" : ""
      }${target}: ${because}`,
    ],
  };
});

const lines = (count: number) => "export const line = 1;\n".repeat(count);
const longFunction = (count: number) => `export function long() {\n${"  call();\n".repeat(count - 2)}}\n`;

export const BREACHES: BreachCase[] = [
  ...directionCases,
  {
    rule: "direction holds for type imports, re-exports, dynamic imports and import types",
    tree: {
      "db/extra.ts":
        'import type { A } from "#core/a.ts";\nexport { b } from "#core/b.ts";\nawait import("#core/c.ts");\nexport type D = import("#core/d.ts").D | A;\n',
    },
    reports: [1, 2, 3, 4].map(
      (line) => `db/extra.ts:${line} imports core/${"abcd"[line - 1]}.ts: db may not import core`,
    ),
  },
  {
    rule: "what runs before the bundle leads to no domain module",
    tree: {
      "server/main.ts": '\nimport "./signals.ts";\nimport "./first.ts";\n',
      "server/first.ts": 'import "./second.ts";\n',
      "server/second.ts": 'import { paise } from "#core/money.ts";\npaise;\n',
    },
    reports: ["server/main.ts:3 imports server/first.ts, which leads to core/money.ts"],
  },
  {
    rule: "what is outside the house is imported by nobody inside",
    tree: { "core/extra.ts": 'import "../bench/load.ts";\n' },
    reports: [
      "core/extra.ts:1 imports bench/load.ts: bin, tools, e2e, bench and the root's files are imported by each other",
    ],
  },
  {
    rule: "test support is for tests",
    tree: {
      "core/extra.ts": 'import "./testing/clock.ts";\n',
      "core/testing/clock.ts": "export const now = 0;\n",
    },
    reports: ["core/extra.ts:1 imports core/testing/clock.ts, which is for tests only"],
  },
  {
    rule: "a folder the house has no room for",
    tree: { "lib/thing.ts": "export const thing = 1;\n" },
    reports: ["lib/thing.ts:1 the house has no such top-level folder"],
  },
  {
    rule: "another domain's queries",
    tree: { "core/catalog/steal.ts": 'import { find } from "#core/coupons/queries.server.ts";\nfind();\n' },
    reports: [
      "core/catalog/steal.ts:1 imports core/coupons/queries.server.ts: another domain's queries are its own",
    ],
  },
  ...["react", "react-dom/server", "react-router", "hono/cors", "better-auth", "nodemailer", "razorpay"].map(
    (name) => ({
      rule: `core does without ${name}`,
      tree: { "core/extra.ts": `import thing from "${name}";\nthing();\n` },
      reports: [`core/extra.ts:1 core may not import the package ${name.split("/")[0]}`],
    }),
  ),
  {
    rule: "core holds no screens",
    tree: { "core/mail/letter.tsx": "export const Letter = () => <p>Hello</p>;\n" },
    reports: ["core/mail/letter.tsx:1 core holds no screens"],
  },
  {
    rule: "app holds no SQL",
    tree: { "app/page.tsx": 'import { sql } from "drizzle-orm";\nsql;\n' },
    reports: ["app/page.tsx:1 app may not import the package drizzle-orm"],
  },
  {
    rule: "the environment is read in one file",
    tree: {
      "adapters/extra.ts":
        'import { env } from "node:process";\nconst { env: mine } = process;\nexport const all = [\n  env,\n  mine,\n  process.env.PORT,\n  process["env"],\n  globalThis.process.env,\n];\n',
    },
    reports: [1, 2, 6, 7, 8].map((line) => `adapters/extra.ts:${line} reads the environment`),
  },
  {
    rule: "no circles",
    tree: {
      "core/one.ts":
        'import { money } from "./money.ts";\nimport { two } from "#core/two.ts";\nexport const one = [two, money];\n',
      "core/two.ts": 'export const two = 2;\nexport { three } from "./three.ts";\n',
      "core/three.ts": 'export const three = () => import("./one.ts");\n',
    },
    reports: ["core/one.ts:2 is part of a circle of imports: core/one.ts, core/three.ts, core/two.ts"],
  },
  {
    rule: "no barrels",
    tree: { "core/all.ts": 'export * from "./money.ts";\nexport type { A } from "./a.ts";\n' },
    reports: ["core/all.ts:1 only re-exports other files"],
  },
  {
    rule: "no barrels in two steps",
    tree: { "core/all.ts": 'import { paise } from "./money.ts";\nexport { paise };\n' },
    reports: ["core/all.ts:1 only re-exports other files"],
  },
  ...[
    "core/utils.ts",
    "core/common.ts",
    "app/helpers.tsx",
    "app/misc.css",
    "core/date-utils.ts",
    "app/helpers/a.ts",
  ].map((path) => ({
    rule: `no vague names: ${path}`,
    tree: { [path]: "a { color: red; }\n".repeat(path.endsWith("css") ? 1 : 0) },
    reports: [
      `${path}:1 '${/[\w-]*(?:utils|common|helpers|misc)/.exec(path)?.[0]}' says nothing of what is inside`,
    ],
  })),
  ...[
    "core/redeemCoupon.ts",
    "app/Button.tsx",
    "app/my_folder/a.ts",
    "core/_a.test.ts",
    "app/page.$id.tsx",
  ].map((path) => ({
    rule: `kebab-case: ${path}`,
    tree: { [path]: "export const a = 1;\n" },
    reports: [`${path}:1 '${/redeemCoupon|Button|my_folder|_a|\$id/.exec(path)?.[0]}' is not kebab-case`],
  })),
  {
    rule: "a file that cannot be parsed",
    tree: { "core/extra.ts": "export const fine = 1;\nexport const = 2;\n" },
    reports: ["core/extra.ts:2 cannot be parsed"],
  },
  {
    rule: "no file over 400 lines, tests included",
    tree: { "core/long.test.ts": lines(401) },
    reports: ["core/long.test.ts:1 is 401 lines long (at most 400)"],
  },
  {
    rule: "95th percentile of files",
    tree: { "core/a.ts": lines(281), "core/b.ts": lines(290), "core/c.ts": lines(281) },
    reports: ["core/c.ts:1 the 95th percentile of files is 281 lines (at most 280), here; 3 of"],
  },
  {
    rule: "median of files",
    tree: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`core/m${at}.ts`, lines(81)])),
    reports: [" the median of files is 81 lines (at most 80), here; 40 of"],
  },
  {
    rule: "95th percentile of functions in core",
    tree: { "core/extra.ts": longFunction(61) },
    reports: [
      "core/extra.ts:1 the 95th percentile of functions in core is 61 lines (at most 60), here; 1 of",
    ],
  },
  {
    rule: "95th percentile of functions in app",
    tree: { "app/extra.tsx": `\n${longFunction(121)}` },
    reports: [
      "app/extra.tsx:2 the 95th percentile of functions in app is 121 lines (at most 120), here; 1 of",
    ],
  },
  {
    rule: "no function over 200 lines, callbacks included",
    tree: { "db/extra.ts": `run(\n() => {\n${"  call();\n".repeat(199)}});\n` },
    reports: ["db/extra.ts:2 a function is 201 lines long (at most 200)"],
  },
];
