import { once } from "node:events";
import { rmSync } from "node:fs";
import { text } from "node:stream/consumers";
import { expect } from "@playwright/test";
import { SMTPServer } from "smtp-server";
import { freePort } from "../free-port.ts";
import { expectAccessible } from "./accessibility.ts";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { query } from "./shop-database.ts";
import { ShopPage } from "./shop-page.ts";
import { ADMIN_PASSWORD, makeDataDir, startShopProcess } from "./shop-process.ts";
import { signInAsNewUser } from "./test-users.ts";

/** A zone whose clocks show about noon now, because reminders are mailed by day. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date().getUTCHours();
  // The sign of these names is the other way round.
  return ahead === 0 ? "UTC" : `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`;
}

test("a buyer is mailed before a pass ends, and stops that with the link of the mail and without a sign-in, at 390 px", async ({
  browser,
}) => {
  // It starts a shop of its own, whose jobs look for work every 15 seconds.
  test.setTimeout(240_000);
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 1,
    onData: (stream, _session, done) => {
      text(stream).then((source) => {
        mails.push(source);
        done();
      }, done);
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  const mailPort = typeof address === "object" && address ? address.port : 0;
  const dataDir = makeDataDir();
  const shopProcess = await startShopProcess({
    dataDir,
    port: await freePort(),
    settings: { ADMIN_PASSWORD, SMTP_URL: `smtp://127.0.0.1:${mailPort}`, STORE_TIME_ZONE: zoneAtNoon() },
  });
  const viewport = { width: 390, height: 844 };
  const buyers = await browser.newContext({ baseURL: shopProcess.url, viewport });
  const others = await browser.newContext({ baseURL: shopProcess.url, viewport });
  try {
    const page = await buyers.newPage();
    await page.goto("/");
    const { email } = await signInAsNewUser(page);
    // As if reminders had been on for a month, and the pass bought then.
    await query(
      `insert into settings (key, value) values ('reminders', jsonb_build_object('since', now() - interval '30 days'))
       on conflict (key) do update set value = excluded.value`,
      [],
      dataDir,
    );
    await query(
      `insert into user_purchases (id, user_id, user_email, tool_id, tool_name, validity, list_price_paise, amount, status, source,
         starts_at, expires_at)
       select gen_random_uuid(), users.id, users.email, tools.id, tools.name, 30, 100, 100, 'completed', 'admin',
         now() - interval '27 days', now() + interval '70 hours'
       from users, tools where users.email = $1 and tools.slug = 'canva'`,
      [email],
      dataDir,
    );
    await query("update job_runs set next_run_at = now() where name = 'remind-buyers'", [], dataDir);
    const reminder = () => mails.find((mail) => mail.includes("Your pass for Canva ends soon"));
    await expect.poll(reminder, { timeout: 90_000 }).toBeDefined();
    const source = reminder() ?? "";
    expect(source).toContain(`To: ${email}`);
    expect(source).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    const link = /^List-Unsubscribe:\s*<([^>]*)>/m.exec(source.replaceAll(/\r\n[ \t]+/g, ""))?.[1] ?? "";

    const other = new ShopPage(await others.newPage());
    await other.page.goto(link);
    await expect(other.heading("Stop reminders?")).toBeVisible();
    await expectAccessible(other.page, "stop reminders", "main");
    const account = new ShopPage(page);
    await account.open("/account");
    const reminders = page.getByRole("region", { name: "Reminders" });
    await expect(reminders.getByText("You get reminders.")).toBeVisible();
    await other.page.getByRole("button", { name: "Stop Reminders" }).click();
    await expect(other.page.getByText("You’ll get no more reminders.")).toBeVisible();

    await test.step("the link of the mail opens the renewal, once", async () => {
      const renew =
        /http\S*\/shop\/canva\?renew/.exec(source.replaceAll(/=\r\n/g, "").replaceAll("=3D", "="))?.[0] ?? "";
      await page.goto(renew);
      await expect(page.getByRole("dialog", { name: "Canva" })).toContainText(
        "The renewal starts when your pass ends.",
      );
      await expect(page).toHaveURL(/\/shop\/canva$/);
      await page.keyboard.press("Escape");
      await account.reload();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await account.open("/account");
    });
    await test.step("a mail program stops the reminders with one press, and a wrong link is refused", async () => {
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      const press = (url: string) =>
        fetch(url, { method: "POST", headers, body: "List-Unsubscribe=One-Click" });
      expect((await press(link)).status).toBe(200);
      expect((await press(link.replace(/key=...../, "key=00000"))).status).toBe(400);
    });
    await test.step("the page of the link works without scripts", async () => {
      const plain = await browser.newContext({
        baseURL: shopProcess.url,
        viewport,
        javaScriptEnabled: false,
      });
      const bare = await plain.newPage();
      await bare.goto(link);
      await bare.getByRole("button", { name: "Stop Reminders" }).click();
      await expect(bare.getByText("You’ll get no more reminders.")).toBeVisible();
      await plain.close();
    });

    await account.reload();
    await expect(reminders.getByText("You get no reminders.")).toBeVisible();
    await reminders.getByRole("button", { name: "Turn On Reminders" }).click();
    await expect(reminders.getByText("You get reminders.")).toBeVisible();

    await other.page.goto(link.replace(/key=...../, "key=00000"));
    await expect(other.page.getByText("This link doesn’t work.")).toBeVisible();

    await signInAsAdmin(other);
    await other.open("/admin/mail");
    await other.page.getByRole("button", { name: "Turn Off Reminders" }).click();
    await expect(other.page.getByRole("button", { name: "Turn On Reminders" })).toBeVisible();
  } finally {
    await buyers.close();
    await others.close();
    await shopProcess.stop();
    server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
