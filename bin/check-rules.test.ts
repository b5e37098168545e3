import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkRules } from "./check-rules.ts";

type Tree = Record<string, string>;

function check(tree: Tree): string[] {
  const root = mkdtempSync(join(tmpdir(), "rules-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return checkRules(root);
}

/** A repository without a breach, with an import of each allowed kind. */
const CLEAN: Tree = {
  "build/server/utils.js": "export const bundled = process.env;\n",
  "app/root.tsx": 'import { size } from "./ui/size.ts";\nimport "./root.css";\nexport default size;\n',
  "app/root.css": "a { color: red; }\n",
  "app/ui/size.ts": "export const size = 1;\n",
  "app/checkout/pay.tsx":
    'import type { Route } from "./+types/pay";\nimport { redeem } from "#core/coupons/redeem.server.ts";\nimport { wire } from "#contracts/wire.ts";\nexport const loader = (args: Route.LoaderArgs) => [redeem, wire, args];\n',
  "core/coupons/queries.server.ts":
    'import { coupons } from "#db/coupons.ts";\nexport const find = coupons;\n',
  "core/coupons/redeem.server.ts":
    'import { find } from "./queries.server.ts";\nexport const redeem = find;\n',
  "core/coupons/redeem.test.ts":
    'import { fresh } from "../../tests/database.ts";\nimport { main } from "#server/compose.ts";\nexport const test = [fresh, main];\n',
  "core/catalog/list.server.ts":
    'import { redeem } from "#core/coupons/redeem.server.ts";\nexport const list = redeem;\n',
  "adapters/smtp/send.ts": 'import nodemailer from "nodemailer";\nexport const send = nodemailer;\n',
  "db/coupons.ts": 'import { pgTable } from "drizzle-orm/pg-core";\nexport const coupons = pgTable;\n',
  "server/main.ts":
    'import { port } from "./signals.ts";\nawait import("../build/server/index.js");\nport;\n',
  "server/signals.ts":
    'import type { redeem } from "#core/coupons/redeem.server.ts";\nexport let port: typeof redeem;\n',
  "server/compose.ts": 'import { send } from "#adapters/smtp/send.ts";\nexport const main = send;\n',
  "import-old-shop/convert.ts":
    'import { redeem } from "#core/coupons/redeem.server.ts";\nimport { coupons } from "#db/coupons.ts";\nexport const convert = [redeem, coupons];\n',
  "server/import-command.ts":
    'import { convert } from "#import-old-shop/convert.ts";\nexport const run = convert;\n',
  "contracts/wire.ts": 'import { z } from "zod";\nexport const wire = z;\n',
  "extension/background.ts": 'import { wire } from "#contracts/wire.ts";\nexport const run = wire;\n',
  "tests/database/database.ts":
    'import { list } from "#core/catalog/list.server.ts";\nexport const fresh = list;\n',
};

const FORBIDDEN_IMPORTS: [file: string, specifier: string, reason: string][] = [
  ["app/a.ts", "#db/coupons.ts", "app may import"],
  ["app/a.ts", "#adapters/smtp/send.ts", "app may import"],
  ["app/a.ts", "drizzle-orm", "in app"],
  ["app/ui/a.ts", "../root.tsx", "app/ui may import app/ui"],
  ["app/ui/a.ts", "#core/coupons/redeem.server.ts", "app/ui may import app/ui"],
  ["core/coupons/a.ts", "#app/root.tsx", "core may import core, db"],
  ["core/coupons/a.ts", "../../contracts/wire.ts", "core may import core, db"],
  ["core/coupons/a.ts", "react-dom/server", "in core"],
  ["core/coupons/a.ts", "better-auth", "in core"],
  ["core/coupons/a.ts", "../../tests/clock.ts", "for tests only"],
  ["core/catalog/a.ts", "#core/coupons/queries.server.ts", "the queries of another domain are private"],
  ["adapters/smtp/a.ts", "#server/compose.ts", "adapters may import"],
  ["import-old-shop/a.ts", "#adapters/smtp/send.ts", "import-old-shop may import import-old-shop, core, db"],
  ["import-old-shop/a.ts", "#core/coupons/queries.server.ts", "the queries of another domain are private"],
  ["app/a.ts", "#core/coupons/queries.server.ts", "the queries of another domain are private"],
  ["app/a.ts", "#core/authorise.ts", "call an operation, which authorises"],
  ["import-old-shop/a.ts", "better-auth", "in import-old-shop"],
  ["core/coupons/a.ts", "#import-old-shop/convert.ts", "core may import core, db"],
  ["app/a.ts", "#import-old-shop/convert.ts", "app may import"],
  ["adapters/smtp/a.ts", "#import-old-shop/convert.ts", "adapters may import"],
  ["server/a.ts", "#import-old-shop/convert.ts", "server may import"],
  ["db/a.ts", "#core/coupons/redeem.server.ts", "db may import db"],
  ["contracts/a.ts", "#core/coupons/redeem.server.ts", "contracts may import contracts"],
  ["extension/a.ts", "#core/coupons/redeem.server.ts", "extension may import"],
  ["languages/a.ts", "#core/coupons/redeem.server.ts", "languages may import languages"],
  ["contracts/a.ts", "#languages/list.ts", "contracts may import contracts"],
  ["server/a.ts", "#contracts/wire.ts", "server may import"],
  ["server/start/a.ts", "#core/coupons/redeem.server.ts", "bootstrap may import"],
  ["server/a.ts", "node:process", "only server/env.ts reads the environment"],
];

describe("the rules of the repository", () => {
  test("the rules accept a clean tree, whose build is not read", () => {
    expect(check(CLEAN)).toEqual([]);
  });

  test.each(FORBIDDEN_IMPORTS)("the rules refuse in %s an import of %s", (file, specifier, reason) => {
    const problems = check({ ...CLEAN, [file]: `\nimport { thing } from "${specifier}";\nthing();\n` });
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect(problems[0]).toMatch(`${file}:2 imports `);
  });

  test("the rules refuse interfaces that a browser may not have, outside of the one file for them", () => {
    const source =
      'export const [a, b] = [new BroadcastChannel("a"), window.localStorage];\nexport const c = () => navigator.clipboard.writeText("x");\nexport type D = BroadcastChannel;\nexport const e = { caches: 1 };\n';
    const problems = check({ "app/live/a.ts": source, "app/ui/optional-interfaces.ts": source });
    expect(problems.map((problem) => problem.replace(/, which.*/, ""))).toEqual([
      "app/live/a.ts:1 reads BroadcastChannel",
      "app/live/a.ts:1 reads window.localStorage",
      "app/live/a.ts:2 reads navigator.clipboard",
    ]);
  });

  test("the rules refuse every form of an import", () => {
    const forms = [
      'import type { A } from "#core/a.ts";',
      'export type { B } from "#core/b.ts";',
      'import "#core/c.ts";',
      'export const d = await import("#core/d.ts");',
      'export type E = import("#core/e.ts").E;',
    ];
    const problems = check({ "db/a.ts": forms.join("\n") });
    expect(problems.map((problem) => problem.split(" ")[0]).toSorted()).toEqual(
      forms.map((_, at) => `db/a.ts:${at + 1}`),
    );
  });

  test("the rules refuse what leads from the files before the server bundle into the bundle", () => {
    const second = 'import { redeem } from "#core/coupons/redeem.server.ts";\nexport const port = redeem;\n';
    const problems = check({ ...CLEAN, "server/signals.ts": second });
    expect(problems).toContain(
      "server/main.ts:1 leads through server/signals.ts to core/coupons/redeem.server.ts, which belongs to the server bundle",
    );
  });

  test("the rules refuse domains that import each other, types included", () => {
    const problems = check({
      ...CLEAN,
      "core/coupons/a.ts": 'import type { Entry } from "../audit/entry.ts";\nexport type A = Entry;\n',
      "core/audit/entry.ts":
        'import type { list } from "#core/catalog/list.server.ts";\nexport type Entry = typeof list;\n',
    });
    expect(problems).toEqual([
      "core/audit/entry.ts:1 imports core/catalog/list.server.ts, and core/catalog/list.server.ts:1 imports core/coupons/redeem.server.ts, and core/coupons/a.ts:1 imports core/audit/entry.ts",
    ]);
  });

  test.each([
    ["lib/thing.ts", "no top-level folder 'lib'"],
    ["core/mail/letter.tsx", "core holds no JSX"],
    ["core/utils.ts", "the name 'utils'"],
    ["app/helpers/a.ts", "the name 'helpers'"],
    ["app/my_folder/a.ts", "the name 'my_folder'"],
    ["app/myStyle.css", "the name 'myStyle'"],
  ])("the rules refuse the file %s", (path, reason) => {
    expect(check({ ...CLEAN, [path]: "" })).toEqual([expect.stringContaining(reason)]);
  });

  const write = (body: string) =>
    check({ ...CLEAN, "core/coupons/a.ts": `export async function a(tx, rows) {\n${body}\n}\n` });

  test.each([
    [
      "right after it",
      "const [row] = await tx.insert(couponCodes).values(rows).returning(); changed(tx, couponCodes); return row;",
    ],
    [
      "after several writes",
      "await tx.delete(tools); await tx.update(users).set({}); changed(tx, tools, users);",
    ],
    ["after a loop", "for (const row of rows) await tx.insert(tools).values(row); changed(tx, tools);"],
    [
      "after statements that run at once",
      "await Promise.all(rows.map((row) => tx.insert(tools).values(row))); changed(tx, tools);",
    ],
    [
      "where rows were written",
      "const { rowCount } = await tx.delete(table); if (rowCount) changed(tx, table);",
    ],
    ["by being prepared", 'const write = prepareWrite("a", tools, (db) => db.update(tools).set({}));'],
    ["nowhere, for a table that no page shows", "await tx.insert(mailMessages).values(rows);"],
    [
      "nowhere, where nothing of the database is written",
      "createHash(rows).update(rows); rows.delete(rows);",
    ],
  ])("the rules accept a write that is announced %s", (_where, body) => {
    expect(write(body)).toEqual([]);
  });

  test.each([
    ["nowhere", "await tx.insert(tools).values(rows);", "tools"],
    ["as another table", "await tx.update(tools).set({}); changed(tx, users);", "tools"],
    ["before it", "changed(tx, tools); await tx.update(tools).set({});", "tools"],
    ["after a return", "await tx.update(tools).set({}); if (rows) return; changed(tx, tools);", "tools"],
    ["in another branch", "if (rows) { await tx.delete(tools); } else { changed(tx, tools); }", "tools"],
    [
      "outside of its function",
      "const write = async () => { await tx.delete(tools); }; changed(tx, tools);",
      "tools",
    ],
    ["not, being what is returned", "return tx.delete(tools);", "tools"],
    [
      "not, being prepared",
      'const write = prepareStatement("a", (db) => db.update(tools).set({}));',
      "tools",
    ],
    [
      "as another table, being prepared",
      'const write = prepareWrite("a", users, (db) => db.update(tools).set({}));',
      "tools",
    ],
    ["not, for a table that is passed on", "await ctx.db.delete(table);", "table"],
    ["not, for a session of Better Auth", "await auth.api.signOut({}); return rows;", "sessions"],
  ])("the rules refuse a write that is announced %s", (_where, body, table) => {
    expect(write(body)).toEqual([`core/coupons/a.ts:2 writes ${table}, and no changed(…, ${table}) follows`]);
  });

  test.each([
    ["between tags", "export const a = <p>Pay now</p>;", "Pay now"],
    ["in an attribute", 'export const a = <p title="Close" />;', "Close"],
    ["in the code", 'export const a = "Your pass has ended.";', "Your pass has ended."],
    [
      "with values",
      `export const a = (name: string) => \`Your pass for \${name} has ended.\`;`,
      "Your pass for",
    ],
  ])("the rules refuse a text that is in English only, %s", (_where, code, text) => {
    const path = "app/ui/a.tsx";
    expect(check({ ...CLEAN, [path]: code })).toEqual([expect.stringContaining(`${path}:1 shows '${text}`)]);
  });

  test.each([
    ["that the catalogue has", 'import { t } from "./size.ts";\nexport const a = t("Try again");'],
    ["of the admin area", "export const a = <p>Pay now</p>;", "app/admin/a.tsx"],
    [
      "that the owner gets in a chat",
      'export const a = "Hello, I need help.";',
      "app/storefront/chat-inquiry.ts",
    ],
    ["of an error for developers", 'export const a = () => new Error("There is no request");'],
    ["that is a name of a header", 'export const a = new Headers({ Allow: "GET" }).get("Content-Type");'],
    ["that is a class", 'export const a = <p className="Grid gap">{1}</p>;'],
    ["that is the name of a property", 'export const a = { "GET get-session": 1 };'],
  ])("the rules accept an English text %s", (_what, code, path = "app/ui/a.tsx") => {
    expect(check({ ...CLEAN, [path]: code })).toEqual([]);
  });

  test.each([
    ["that changes, beside another text", "<p>Pay {price}</p>"],
    ["that changes, beside a space", '<p>{price}{" "}</p>'],
    ["before an element that may come", "<p>{price ? <b /> : null}Pay</p>"],
    ["beside a component", "<p><Icon />Pay</p>"],
    ["beside an element with a key", "<p><b key={price} />Pay</p>"],
    ["beside what may be a text", "<p>{price && name}<b /></p>"],
    ["in a fragment", "<>{price}</>"],
    ["in a fragment without values", "<>Pay</>"],
  ])("the rules refuse a text %s", (_where, jsx) => {
    const code = `export const a = (price: string, name: string, Icon: () => null) => ${jsx};\n`;
    expect(check({ ...CLEAN, "app/admin/a.tsx": code })).toEqual([
      expect.stringMatching(/^app\/admin\/a\.tsx:1 has a text beside other children/),
    ]);
  });

  test.each([
    ["alone in its element", "<p>{price}</p>"],
    ["alone in a component", "<Row>{price}</Row>"],
    ["made of several", "<p>{'Pay ' + price}</p>"],
    ["that stays, beside elements that stay", "<p>Pay <b>{price}</b> now</p>"],
    ["in an element beside an element that may come", "<p>{price ? <b /> : null}<span>Pay</span></p>"],
    ["beside no text, but elements by their type", "<p>{row}<b /></p>"],
    ["beside no text, but elements of a list", "<p>{[1].map((at) => <i key={at} />)}<b /></p>"],
    ["beside no text, but elements of a message", '<p>{tNodes("a")}<b /></p>'],
  ])("the rules accept a text %s", (_where, jsx) => {
    const code = `export const a = ({ price, row, Row, tNodes }: { price: string; row: Elements }) => ${jsx};\n`;
    expect(check({ ...CLEAN, "app/admin/a.tsx": code })).toEqual([]);
  });
});
