import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { stopRemindersUrl } from "#core/mail/stop-reminders-link.ts";
import { readWantsReminders } from "#core/reminders/opt-out.server.ts";
import { systemClock } from "#core/time.ts";
import { users } from "#db/tables/accounts.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { routeArguments } from "#tests/fixtures/admin-route.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { action, loader } from "./reminders-page.tsx";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
afterAll(() => shop.close());

const searchOf = (userId: string) => new URL(stopRemindersUrl(shop.visitor(), userId)).search;
const at = (search: string, fields?: Record<string, string>) =>
  routeArguments(shop.visitor(), "/reminders", { search, ...(fields && { fields }) });

test("the link of a reminder changes nothing when it is followed, and its button and a mail program stop the reminders", async () => {
  for (const fields of [{}, { "List-Unsubscribe": "One-Click" }]) {
    const buyer = await shop.user();
    const search = searchOf(buyer.actor.userId);
    expect(loader(at(search))).toEqual({ isGenuine: true });
    expect(await readWantsReminders(buyer)).toBe(true);
    expect((await action(at(search, fields))).data).toEqual({ isStopped: true });
    expect(await readWantsReminders(buyer)).toBe(false);
  }
});

test("a link with another account or a wrong signature stops nothing", async () => {
  const [buyer, other] = [await shop.user(), await shop.user()];
  const search = searchOf(buyer.actor.userId);
  const forged = search.replace(buyer.actor.userId, other.actor.userId);
  for (const wrong of [
    forged,
    search.slice(0, -1),
    `${search}&account=${other.actor.userId}`,
    "",
    "?account=x&key=y",
  ]) {
    expect(loader(at(wrong)), wrong).toEqual({ isGenuine: false });
    expect(await action(at(wrong, {})), wrong).toMatchObject({
      data: { isStopped: false },
      init: { status: 400 },
    });
  }
  expect(await shop.db.$count(users, eq(users.wantsReminders, false))).toBe(2);
});
