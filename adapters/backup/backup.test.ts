import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ensureFirstAdmin } from "#core/accounts/set-up-admin.server.ts";
import { lastMigration, migrateDatabase } from "#db/migrate.ts";
import { recogniseCollection } from "#import-old-shop/collections.ts";
import { openDocumentExport } from "#import-old-shop/document-export/document-export.ts";
import { importShop } from "#import-old-shop/import-shop.server.ts";
import { emptyDatabase, freshDatabase } from "../../tests/database/database.ts";
import { openTestShop } from "../../tests/fixtures/open-test-shop.ts";
import { type BackupFile, type Manifest, openBackupFile, writeBackupFile } from "./backup-file.ts";
import { checkBackup } from "./check-backup.ts";
import { columnList, dumpDatabase, listTables, prepareSession } from "./dump-database.ts";
import { loadBackup } from "./load-backup.ts";

const PASSPHRASE = "correct horse battery";
const KEYS = { authSecret: "a".repeat(48), vaultKeys: "k1:abc,lookup:abc" };
/** A table of another program, which the owner added to the database of the shop. */
const OWN_TABLE = `create table "Owner's notes" (id serial primary key, "at" timestamptz(3) default now(), note text, tags text[],
  amount numeric(10,2), length int generated always as (length(note)) stored)`;
const NOTE = 'tab\there, line\nhere, \\N and \\. and "quotes", हिन्दी 🎉';

const folder = mkdtempSync(join(tmpdir(), "backup-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const newPath = () => join(folder, `${++count}.backup`);
const never = new AbortController().signal;

const database = await freshDatabase();
const shop = openTestShop(database, { clock: { now: () => new Date("2026-11-24T10:00:00Z") } });
afterAll(() => shop.close());

beforeAll(async () => {
  await ensureFirstAdmin(shop.system(), { password: "the owner's own password" });
  const source = await openDocumentExport("tests/fixtures/old-shop", {
    isCollection: (name) => recogniseCollection(name) !== null,
  });
  const listener = { onLine: () => undefined, onNotice: () => undefined, onProgress: () => undefined };
  const demo = { tools: [], accessCodes: [], coupons: [], credentials: [] };
  await importShop(shop.system(), source, {
    dryRun: false,
    demo,
    removesDemo: false,
    withoutPasswords: true,
    signal: never,
    listener,
  });
  await source.close();
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  await shop.pool.query("insert into tool_logos (name, content) values ('logo.png', $1)", [everyByte]);
  await shop.pool.query("update tools set logo = 'logo.png'");
  await shop.pool.query(OWN_TABLE);
  await shop.pool.query(
    `insert into "Owner's notes" (note, tags, amount) values ($1, $2, 12.50), (null, null, null)`,
    [NOTE, ["a,b", "{c}"]],
  );
});

async function write(url = database.url, passphrase?: string): Promise<string> {
  const path = newPath();
  await writeBackupFile({
    path,
    encryption: passphrase === undefined ? null : { passphrase, keys: KEYS },
    signal: never,
    writeTables: (addFile) => dumpDatabase(url, addFile),
  });
  return path;
}

let plain: Promise<string> | undefined;
let encrypted: Promise<string> | undefined;
/** A new copy of a backup of the shop. */
async function backUp({ passphrase }: { passphrase?: string } = {}): Promise<string> {
  plain ??= write();
  if (passphrase !== undefined) encrypted ??= write(database.url, passphrase);
  const path = newPath();
  copyFileSync(await ((passphrase === undefined ? plain : encrypted) ?? plain), path);
  return path;
}

async function open(path: string, passphrase?: string): Promise<BackupFile> {
  const backup = await openBackupFile(path, { passphrase, folder });
  onTestFinished(() => backup.close());
  return backup;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  await prepareSession(client);
  return client;
}

async function openEmpty(): Promise<{ url: string; client: pg.Client }> {
  const empty = await emptyDatabase();
  onTestFinished(() => empty.drop());
  return { url: empty.url, client: await connect(empty.url) };
}

async function load(client: pg.Client, backup: BackupFile): Promise<void> {
  await loadBackup(client, backup, { signal: never });
}

/** Every row of every table, as text, by table. */
async function readRows(client: pg.Client): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const { name, columns } of await listTables(client)) {
    const { rows } = await client.query(
      `select row(${columnList(columns)})::text as row from ${pg.escapeIdentifier(name)} order by 1`,
    );
    content[name] = rows.map(({ row }) => String(row));
  }
  return content;
}

const countTables = async (client: pg.Client) => (await listTables(client)).length;

test.each([{}, { passphrase: PASSPHRASE }])("a backup has every row of every table, %o", async (how) => {
  const backup = await open(await backUp(how), how.passphrase);
  const { client } = await openEmpty();
  await load(client, backup);
  const expected = await readRows(await connect(database.url));
  expect(expected.user_purchases?.length).toBeGreaterThan(20);
  expect(expected.imported_documents?.length).toBeGreaterThan(100);
  expect(await readRows(client)).toEqual(expected);
  expect(backup.keys).toEqual(how.passphrase === undefined ? null : KEYS);
});

test("a table that the owner added is in the backup, with its values", async () => {
  const { client } = await openEmpty();
  await load(client, await open(await backUp()));
  const { rows } = await client.query(`select note, tags, amount from "Owner's notes" order by id`);
  expect(rows).toEqual([
    { note: NOTE, tags: ["a,b", "{c}"], amount: "12.50" },
    { note: null, tags: null, amount: null },
  ]);
});

test("the restored shop has the schema of a new one: keys between tables, and every migration", async () => {
  const { url, client } = await openEmpty();
  await load(client, await open(await backUp()));
  const describeKeys = async (one: pg.Client) =>
    (
      await one.query(
        "select conrelid::regclass::text as t, conname, pg_get_constraintdef(oid) as def, convalidated from pg_constraint where connamespace = 'public'::regnamespace and conrelid::regclass::text not like '%notes%' order by 1, 2",
      )
    ).rows;
  expect(await describeKeys(client)).toEqual(await describeKeys(await connect(database.url)));
  await migrateDatabase(url);
  const { rows } = await client.query("select max(created_at)::text as at from drizzle.__drizzle_migrations");
  expect(rows[0]?.at).toBe(String(lastMigration()));
});

test("a backup has nothing that was written after it began, and writing continues meanwhile", async () => {
  const path = newPath();
  await writeBackupFile({
    path,
    encryption: null,
    signal: never,
    writeTables: (addFile) =>
      dumpDatabase(database.url, async (name, content) => {
        if (name === "tables/access_codes.copy")
          await shop.pool.query("insert into settings (key, value) values ('later', '1')");
        await addFile(name, content);
      }),
  });
  onTestFinished(async () => void (await shop.pool.query("delete from settings where key = 'later'")));
  const { client } = await openEmpty();
  await load(client, await open(path));
  expect((await client.query("select from settings where key = 'later'")).rowCount).toBe(0);
});

test("a backup of an older schema is filled into that schema and then migrated", async () => {
  const old = await emptyDatabase();
  onTestFinished(() => old.drop());
  await (await connect(old.url)).query(readFileSync("tests/database/last-version.sql", "utf8"));
  const oldClient = await connect(old.url);
  await oldClient.query("create schema drizzle");
  await oldClient.query(
    "create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)",
  );
  await oldClient.query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('x', 1795512034369)",
  );
  await oldClient.query("insert into settings (key, value) values ('kept', '1')");
  const { url, client } = await openEmpty();
  await load(client, await open(await write(old.url)));
  expect((await client.query("select from settings where key = 'kept'")).rowCount).toBe(1);
  expect((await client.query("select to_regclass('imported_documents') as t")).rows[0]?.t).not.toBeNull();
  await migrateDatabase(url);
});

test("a backup file is readable by its owner only, and no draft is left", async () => {
  const path = await write();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => /part|tmp/.test(name))).toEqual([]);
});

test("a backup file with a passphrase shows neither names of tables nor the keys", async () => {
  const text = readFileSync(await backUp({ passphrase: PASSPHRASE }), "latin1");
  expect(text.startsWith("age-encryption.org/v1\n")).toBe(true);
  expect(text).not.toContain("manifest.json");
  expect(text).not.toContain(KEYS.authSecret);
});

test("a backup file without a passphrase has no keys", async () => {
  expect(readFileSync(await backUp(), "latin1")).not.toContain("keys.json");
});

test("a backup file that cannot be written is refused with the reason", async () => {
  const writeTo = (path: string) =>
    writeBackupFile({
      path,
      encryption: null,
      signal: never,
      writeTables: (addFile) => dumpDatabase(database.url, addFile),
    });
  const file = newPath();
  writeFileSync(file, "no folder");
  await expect(writeTo(join(file, "backup.zip"))).rejects.toThrow(
    `Nothing can be written to ${file} (EEXIST): choose a folder that this user may write to. Nothing was written.`,
  );
  // While the tables are written, and even for root.
  if (process.platform === "linux")
    await expect(writeTo("/proc/self/backup.zip")).rejects.toThrow(
      /^Nothing can be written to \/proc\/self \(ENOENT\): choose a folder/,
    );
});

test("a backup file is never readable under a name while it is decrypted", async () => {
  const path = await backUp({ passphrase: PASSPHRASE });
  const target = newPath();
  const opening = openBackupFile(path, { passphrase: PASSPHRASE, folder: target });
  let isOpen = false;
  const opened = opening.finally(() => {
    isOpen = true;
  });
  const seen = new Set<string>();
  while (!isOpen) {
    if (existsSync(target)) for (const name of readdirSync(target)) seen.add(name);
    await Promise.race([opened, setImmediate()]);
  }
  await (await opened).close();
  expect([...seen]).toEqual([]);
  expect(readdirSync(target)).toEqual([]);
});

test("a backup file is not written for a database without a shop", async () => {
  const { url } = await openEmpty();
  await expect(write(url)).rejects.toThrow(/^There is no shop in this database/);
  expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("a backup file is not written over another file", async () => {
  const path = newPath();
  writeFileSync(path, "precious");
  const writing = writeBackupFile({
    path,
    encryption: null,
    signal: never,
    writeTables: (addFile) => dumpDatabase(database.url, addFile),
  });
  await expect(writing).rejects.toThrow(/already exists/);
  expect(readFileSync(path, "utf8")).toBe("precious");
});

test.each([
  "a failure of the database",
  "a stop",
  "a full disk",
])("no backup file is left after %s", async (kind) => {
  const path = kind === "a full disk" ? "/dev/full/x" : newPath();
  const stop = new AbortController();
  const writing = writeBackupFile({
    path,
    encryption: null,
    signal: stop.signal,
    writeTables: (addFile) =>
      dumpDatabase(database.url, async (name, content) => {
        if (name === "tables/imported_documents.copy") {
          if (kind === "a stop") stop.abort(new Error("stopped"));
          else content.destroy(new Error("lost"));
        }
        await addFile(name, content);
      }),
  });
  await expect(writing).rejects.toThrow();
  expect(readdirSync(folder).filter((name) => name.startsWith(String(count)))).toEqual([]);
});

describe("a file that is refused, and the database stays empty:", () => {
  const refused = async (path: string, message: RegExp, passphrase?: string) => {
    const { client } = await openEmpty();
    const loading = (async () => {
      const backup = await openBackupFile(path, { passphrase, folder });
      onTestFinished(() => backup.close());
      await load(client, backup);
    })();
    await expect(loading).rejects.toThrow(message);
    await client.query("rollback").catch(() => undefined);
    expect(readdirSync(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    return client;
  };

  test("a file that is not a backup is refused, and the database stays empty", async () => {
    const path = newPath();
    writeFileSync(path, "hello");
    await refused(path, /is not a backup/);
  });

  test("an empty file is refused as a backup, and the database stays empty", async () => {
    const path = newPath();
    writeFileSync(path, "");
    await refused(path, /is not a backup/);
  });

  test.each([
    undefined,
    PASSPHRASE,
  ])("a backup file whose end is missing is refused, and the database stays empty, with passphrase %s", async (passphrase) => {
    const path = await backUp(passphrase === undefined ? {} : { passphrase });
    truncateSync(path, statSync(path).size - 40);
    await refused(path, /is not a backup, or it is damaged/, passphrase);
  });

  test("an encrypted backup without its passphrase is refused, and the database stays empty", async () => {
    const path = await backUp({ passphrase: PASSPHRASE });
    await refused(path, /set BACKUP_PASSPHRASE/);
    await refused(path, /BACKUP_PASSPHRASE is not that of this backup/, "another passphrase");
  });

  test("a backup with a wrong byte in a table is refused, and the database stays empty", async () => {
    const path = await backUp();
    const bytes = readFileSync(path);
    const at = bytes.indexOf("tables/imported_documents.copy") + 400;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    const client = await refused(path, /damaged: table/);
    const { rows } = await client.query("select to_regclass('public.settings') as t");
    expect(rows[0]?.t).toBeNull();
  });

  /** A backup with a manifest that differs. */
  async function change(edit: (manifest: Manifest) => void) {
    const path = newPath();
    await writeBackupFile({
      path,
      encryption: null,
      signal: never,
      writeTables: async (addFile) => {
        const manifest = await dumpDatabase(database.url, addFile);
        edit(manifest);
        return manifest;
      },
    });
    return path;
  }

  test("a backup with fewer rows than its manifest says is refused, and the database stays empty", async () => {
    const path = await change(({ tables }) => {
      for (const table of tables) table.rows += 1;
    });
    await refused(path, /damaged: table/);
  });

  test("a backup without a table of the shop is refused, and the database stays empty", async () => {
    const path = await change((manifest) => {
      manifest.tables = manifest.tables.filter(({ name }) => name !== "access_codes");
    });
    await refused(path, /lacks the table/);
  });

  test("a backup of a newer version is refused, and the database stays empty", async () => {
    const path = await change((manifest) => {
      manifest.schemaVersion += 1;
    });
    await refused(path, /newer version/);
  });

  test("a backup is not loaded into a shop that is in use", async () => {
    const backup = await open(await backUp());
    const used = await freshDatabase();
    onTestFinished(() => used.drop());
    const client = await connect(used.url);
    const before = await countTables(client);
    await expect(load(client, backup)).rejects.toThrow(/already contains a shop/);
    await client.query("rollback");
    expect(await countTables(client)).toBe(before);
  });
});

test("a restore that stops in the middle of a table leaves nothing", async () => {
  const backup = await open(await backUp());
  const { url, client } = await openEmpty();
  const stop = new AbortController();
  const cut: BackupFile = {
    ...backup,
    openFile: async (name) => {
      const content = await backup.openFile(name);
      if (name !== "tables/imported_documents.copy") return content;
      return Readable.from(
        (async function* () {
          for await (const chunk of content) {
            yield chunk;
            stop.abort(new Error("stopped"));
          }
        })(),
      );
    },
  };
  await expect(loadBackup(client, cut, { signal: stop.signal })).rejects.toThrow();
  await client.end();
  expect(await countTables(await connect(url))).toBe(0);
});

describe("a check", () => {
  const databases = async () =>
    (
      await shop.pool.query(
        "select datname from pg_database where datname = current_database() || '_backup_check'",
      )
    ).rows;

  test("the check of a good backup restores it beside the shop and leaves nothing", async () => {
    const name = `${new URL(database.url).pathname.slice(1)}_backup_check`;
    await shop.pool.query(`create database ${name}`);
    await checkBackup(database.url, await open(await backUp()), { signal: never });
    expect(await databases()).toEqual([]);
  });

  test("the check of a damaged backup fails and leaves nothing", async () => {
    const path = await backUp();
    const bytes = readFileSync(path);
    const at = bytes.indexOf("tables/imported_documents.copy") + 400;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    const checking = checkBackup(database.url, await open(path), { signal: never });
    await expect(checking).rejects.toThrow(/damaged/);
    expect(await databases()).toEqual([]);
  });

  test("the check of a backup is refused while another check runs", async () => {
    const backups = [await open(await backUp()), await open(await backUp())];
    const results = await Promise.allSettled(
      backups.map((backup) => checkBackup(database.url, backup, { signal: never })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await databases()).toEqual([]);
  });
});
