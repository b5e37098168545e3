import type { Tree } from "./fixtures.ts";

export interface BiomeCase {
  rule: string;
  /** Files that no other case writes: all cases are checked in one run. */
  tree: Tree;
  /** What Biome reports of these files, in any order, as `file:line group/rule`. */
  reports: string[];
}

const FORBIDDEN_IMPORTS: [folder: string, specifier: string][] = [
  ["app", "#adapters/smtp/send.ts"],
  ["app", "#db/tables/coupons.ts"],
  ["app", "#server/env.ts"],
  ["app/ui", "#core/money.ts"],
  ["app/ui", "../routes.ts"],
  ["app/ui/parts", "../../routes.ts"],
  ["core", "#app/routes.ts"],
  ["core/coupons", "#adapters/smtp/send.ts"],
  ["core/coupons", "#server/compose.ts"],
  ["core/coupons", "#contracts/wire.ts"],
  ["adapters/smtp", "#app/routes.ts"],
  ["adapters/smtp", "#server/compose.ts"],
  ["db", "#core/money.ts"],
  ["contracts", "#core/money.ts"],
  ["extension", "#core/money.ts"],
  ["server", "#contracts/wire.ts"],
  ["server/start", "#core/money.ts"],
  ["server/embedded-postgres", "#db/tables/coupons.ts"],
  ["core", "react"],
  ["core", "react-dom/server"],
  ["core", "react-router"],
  ["core", "hono/cors"],
  ["core", "better-auth"],
  ["core", "nodemailer"],
  ["core", "razorpay"],
  ["app", "drizzle-orm"],
  ["app", "pg"],
  ["core", "./testing/clock.ts"],
  ["core/coupons", "#core/testing/clock.ts"],
];

const directionCases = FORBIDDEN_IMPORTS.map(([folder, specifier], at): BiomeCase => {
  const file = `${folder}/direction-${at}.ts`;
  return {
    rule: `refuses an import of ${specifier} in ${folder}`,
    tree: { [file]: `\nimport { thing } from "${specifier}";\nthing();\n` },
    reports: [`${file}:2 style/noRestrictedImports`],
  };
});

const lines = (count: number) => "export const line = 1;\n".repeat(count);
const longFunction = (count: number) => `export function long() {\n${"  call();\n".repeat(count - 2)}}\n`;

export const BIOME_CASES: BiomeCase[] = [
  ...directionCases,
  {
    rule: "refuses a forbidden direction in type-only, side-effect and dynamic imports and in re-exports",
    tree: {
      "db/direction.ts":
        'import type { A } from "#core/a.ts";\nexport type { B } from "#core/b.ts";\nimport "#core/c.ts";\nexport const d = await import("#core/d.ts");\nexport type C = A;\n',
    },
    reports: [1, 2, 3, 4].map((line) => `db/direction.ts:${line} style/noRestrictedImports`),
  },
  {
    rule: "refuses process.env outside server/env.ts",
    tree: {
      "server/environment.ts":
        'import process from "node:process";\nexport const all = [\n  process.env.PORT,\n  globalThis.process.env,\n];\n',
      "adapters/environment.ts": "export const port = process.env.PORT;\n",
    },
    reports: [
      "server/environment.ts:3 style/noProcessEnv",
      "server/environment.ts:4 style/noProcessEnv",
      "adapters/environment.ts:1 style/noProcessEnv",
    ],
  },
  {
    rule: "refuses a cycle of values",
    tree: {
      "core/value-one.ts":
        'import { two } from "./value-two.ts";\nexport const one = () => two;\nexport const zero = 0;\n',
      "core/value-two.ts": 'import { zero } from "./value-one.ts";\nexport const two = zero;\n',
    },
    reports: [
      "core/value-one.ts:1 suspicious/noImportCycles",
      "core/value-two.ts:1 suspicious/noImportCycles",
    ],
  },
  {
    rule: "refuses a cycle of types",
    tree: {
      "core/type-one.ts":
        'import type { Two } from "./type-two.ts";\nexport type One = Two | 1;\nexport type Zero = 0;\n',
      "core/type-two.ts": 'import { type Zero } from "./type-one.ts";\nexport type Two = Zero;\n',
    },
    reports: ["core/type-one.ts:1 suspicious/noImportCycles", "core/type-two.ts:1 suspicious/noImportCycles"],
  },
  {
    rule: "refuses a cycle through '#' imports and a re-export",
    tree: {
      "core/hash-one.ts": 'import { three } from "#core/hash-two.ts";\nexport const one = () => three;\n',
      "core/hash-two.ts": 'export const two = 2;\nexport { three } from "#core/hash-three.ts";\n',
      "core/hash-three.ts": 'import { one } from "#core/hash-one.ts";\nexport const three = () => one;\n',
    },
    reports: [
      "core/hash-one.ts:1 suspicious/noImportCycles",
      "core/hash-two.ts:2 suspicious/noImportCycles",
      "core/hash-two.ts:2 performance/noBarrelFile",
      "core/hash-three.ts:1 suspicious/noImportCycles",
    ],
  },
  {
    rule: "refuses a cycle through a dynamic import",
    tree: {
      "core/dynamic-one.ts": 'import { two } from "./dynamic-two.ts";\nexport const one = two;\n',
      "core/dynamic-two.ts": 'export const two = () => import("./dynamic-one.ts");\n',
    },
    reports: [
      "core/dynamic-one.ts:1 suspicious/noImportCycles",
      "core/dynamic-two.ts:1 suspicious/noImportCycles",
    ],
  },
  {
    rule: "refuses a file that re-exports other files",
    tree: {
      "core/barrel.ts": 'export { paise } from "./money.ts";\n',
      "core/barrel-all.ts": 'export * from "./money.ts";\n',
    },
    reports: [
      "core/barrel.ts:1 performance/noBarrelFile",
      "core/barrel-all.ts:1 performance/noBarrelFile",
      "core/barrel-all.ts:1 performance/noReExportAll",
    ],
  },
  ...["core/redeemCoupon.ts", "app/Button.tsx", "core/_a.test.ts", "app/page.$id.tsx", "app/my_page.ts"].map(
    (path) => ({
      rule: `refuses the file name ${path}, which is not kebab-case`,
      tree: { [path]: "export const a = 1;\n" },
      reports: [`${path}:1 style/useFilenamingConvention`],
    }),
  ),
  {
    rule: "refuses a file of more than 400 lines, a test too",
    tree: { "core/long.test.ts": lines(401), "core/not-long.ts": lines(400) },
    reports: ["core/long.test.ts:1 style/noExcessiveLinesPerFile"],
  },
  {
    rule: "accepts a long file that a tool wrote or that holds only data",
    tree: {
      "db/migrations/long.ts": lines(401),
      "db/seed/long.data.ts": lines(401),
      "db/seed/long.json": `[${"\n0,".repeat(500)}0]\n`,
    },
    reports: [],
  },
  {
    rule: "refuses a function of more than 200 lines, a callback included",
    tree: {
      "db/long-callback.ts": `run(\n() => {\n${"  call();\n".repeat(201)}});\n`,
      "db/long-function.ts": longFunction(203),
      "db/not-long-function.ts": longFunction(200),
    },
    reports: [
      "db/long-callback.ts:2 complexity/noExcessiveLinesPerFunction",
      "db/long-function.ts:1 complexity/noExcessiveLinesPerFunction",
    ],
  },
  {
    rule: "accepts a long function in a test",
    tree: { "core/function.test.ts": `test(() => {\n${"  call();\n".repeat(300)}});\n` },
    reports: [],
  },
];
