import { afterAll, beforeAll, expect, test } from "vitest";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../context.ts";
import type { ListInput } from "../lists/paging.ts";
import { DAY } from "../time.ts";
import { listAccessCodes } from "./list-access-codes.server.ts";
import { createAccessCode, updateAccessCode } from "./manage-access-codes.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;
const sessionCode = "A-session-code-of-more-than-thirty-characters";

beforeAll(async () => {
  admin = await shop.user("admin");
  const chat = await shop.tool({ name: "ChatGPT Pro", slug: "chatgpt" });
  const canva = await shop.tool({ name: "Canva" });
  const add = async (toolId: string, serverName: string, simpleCode: string, code?: string) => {
    const fields = { toolId, serverName, simpleCode, isActive: true };
    const { id } = await createAccessCode(admin, fields);
    // Only an edit takes a session code that was not generated.
    if (code) await updateAccessCode(admin, { ...fields, id, version: 1, sessionCode: code });
    shop.clock.advance(DAY);
  };
  await add(chat.id, "Server 1", "CGPT-ONE", sessionCode);
  await add(chat.id, "Server 2", "CGPT-TWO", "short");
  await add(canva.id, "Team", "CANVA-1");
});
afterAll(() => shop.close());

const codes = async (input: ListInput) =>
  (await listAccessCodes(admin, input)).rows.map(({ simpleCode }) => simpleCode);

test("the list of access codes shows simple codes and the first 30 characters of session codes", async () => {
  const { rows, total } = await listAccessCodes(admin, {});
  expect(total).toBe(3);
  expect(rows.map(({ simpleCode }) => simpleCode)).toEqual(["CANVA-1", "CGPT-TWO", "CGPT-ONE"]);
  expect(rows[2]).toMatchObject({
    toolName: "ChatGPT Pro",
    toolIsDeleted: false,
    serverName: "Server 1",
    isActive: true,
    version: 2,
    sessionCodeStart: `${sessionCode.slice(0, 30)}…`,
  });
  expect(rows[1]?.sessionCodeStart).toBe("short");
  expect(JSON.stringify(rows)).not.toContain(sessionCode.slice(0, 31));
});

test.each<[ListInput, string[]]>([
  [{ q: "chatgpt" }, ["CGPT-TWO", "CGPT-ONE"]],
  [{ q: "server 2" }, ["CGPT-TWO"]],
  [{ q: "te" }, ["CANVA-1"]],
  [{ q: "CGPT-ONE" }, ["CGPT-ONE"]],
  [{ q: sessionCode }, ["CGPT-ONE"]],
  [{ q: "CGPT" }, []],
  [{ direction: "asc" }, ["CGPT-ONE", "CGPT-TWO", "CANVA-1"]],
])("the list of access codes is searched by tool, server and whole code: %o", async (input, found) => {
  expect(await codes(input)).toEqual(found);
});

test("a whole access code is found only with a recent password, because the search confirms a guess", async () => {
  const late = withOldPassword(admin);
  for (const q of ["CGPT-ONE", sessionCode]) expect((await listAccessCodes(late, { q })).rows).toEqual([]);
  expect((await listAccessCodes(late, { q: "server 2" })).rows).toMatchObject([{ simpleCode: null }]);
});

test("the list of access codes is for admins only", async () => {
  await expect(listAccessCodes(shop.visitor(), {})).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listAccessCodes(await shop.user(), {})).rejects.toMatchObject({ code: "forbidden" });
});
