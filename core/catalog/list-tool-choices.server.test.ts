import { afterAll, expect, test } from "vitest";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { systemClock } from "../time.ts";
import { listToolChoices } from "./list-tool-choices.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
afterAll(() => shop.close());

test("the choices are all tools that are not deleted, by name in any case", async () => {
  const servers = [{ id: "canva-1", name: "Server 1", url: null }];
  await shop.tool({ name: "canva", badge: "New", servers, pricePaise: 9_900, availableStock: 3 });
  await shop.tool({ name: "Bundle", isActive: false });
  await shop.tool({ name: "Gone", deletedAt: new Date() });
  await shop.tool({ name: "Azure" });
  const choices = await listToolChoices(await shop.user("admin"));
  expect(choices.map(({ name, isActive }) => [name, isActive])).toEqual([
    ["Azure", true],
    ["Bundle", false],
    ["canva", true],
  ]);
  expect(choices[2]).toMatchObject({
    ...{ badge: "New", pricePaise: 9_900, availableStock: 3, serverNames: ["Server 1"] },
  });
});

test("the choices are for admins only", async () => {
  await expect(listToolChoices(shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listToolChoices(await shop.user())).rejects.toMatchObject({ code: "forbidden" });
});
