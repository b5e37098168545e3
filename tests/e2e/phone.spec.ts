import { expect, type Locator } from "@playwright/test";
import { takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { countCaptures, listPurchases, readStock } from "./shop-database.ts";
import { buyPass, newEmail, PASSWORD, signInAsNewUser } from "./test-users.ts";

test.use({
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  userAgent:
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
});

/** Taps and fills as a buyer does, and records each tap and each field. */
function recordActions() {
  const taps: string[] = [];
  const fields: string[] = [];
  return {
    taps,
    fields,
    async tap(control: Locator): Promise<void> {
      await control.tap();
      taps.push(control.toString());
    },
    async fill(field: Locator, text: string): Promise<void> {
      await field.fill(text);
      fields.push(field.toString());
    },
  };
}

/** Waits until the element is in the window as a whole and nothing lies over its upper and lower edge. */
async function expectUncovered(element: Locator): Promise<void> {
  await expect
    .poll(() =>
      element.evaluate((shown) => {
        const { left, width, top, bottom } = shown.getBoundingClientRect();
        return [top + 1, bottom - 1].map((y) => {
          const onTop = document.elementFromPoint(left + width / 2, y);
          return shown.contains(onTop) || onTop?.contains(shown) === true;
        });
      }),
    )
    .toEqual([true, true]);
}

test("a new buyer on a phone has a code in at most 5 taps and 2 fields from the home page, and one pass", async ({
  shop,
  page,
}) => {
  const { taps, fields, tap, fill } = recordActions();
  const { purchase, signIn } = shop;
  const before = await readStock("canva");
  const email = newEmail();
  await shop.open("/");
  await test.step("all controls are large enough to tap", async () => {
    const small = await page
      .locator("main, header")
      .locator("button:visible, a:visible, input:visible")
      .evaluateAll((controls) =>
        controls
          .map((control) => ({ name: control.textContent ?? "", box: control.getBoundingClientRect() }))
          .filter(({ box }) => box.height > 1 && box.height < 40)
          .map(({ name, box }) => `${name} ${box.width}×${box.height}`),
      );
    expect(small).toEqual([]);
  });

  await tap(page.getByRole("button", { name: "Get access to Canva", exact: true }));
  await test.step("the cheapest duration is chosen, and nothing has the focus that opens the keyboard", async () => {
    await expect(purchase.option("7 Days")).toBeChecked();
    await expect(purchase.notice("Works on your phone")).toBeInViewport({ ratio: 1 });
    await expect(signIn.email).not.toBeFocused();
    await expect(signIn.button("Create an Account")).toBeInViewport({ ratio: 1 });
  });
  await test.step("on a small phone durations, fields and button are on the screen, and above the keyboard the field in use", async () => {
    for (const control of [purchase.option("90 Days"), signIn.email, signIn.password])
      await expectUncovered(control);
    await expectUncovered(signIn.button("Create an Account"));
    await takeScreenshot(page, "sheet of a visitor 360");
    await signIn.password.tap();
    await page.setViewportSize({ width: 360, height: 440 });
    for (const part of [signIn.root.getByText("Password", { exact: true }), signIn.password])
      await expectUncovered(part);
    await expectUncovered(signIn.button("Create an Account"));
    await takeScreenshot(page, "sheet of a visitor above the keyboard");
    await page.setViewportSize({ width: 360, height: 740 });
  });
  await fill(signIn.email, email);
  await fill(signIn.password, PASSWORD);
  await tap(signIn.button("Create an Account"));
  await test.step("all durations, the benefits and Pay are on the screen without scrolling", async () => {
    await expect(purchase.pay("₹49")).toBeInViewport({ ratio: 1 });
    for (const text of ["Premium access", "Unlimited usage", "24/7", "7 Days", "30 Days", "90 Days"])
      await expect(purchase.notice(text)).toBeInViewport({ ratio: 1 });
    expect(await page.locator(".dialog-body").evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  });
  await test.step("the features and limits of a tool are readable before paying", async () => {
    const limits = purchase.root.getByText("Your designs belong to the shared workspace", { exact: false });
    await expect(purchase.notice("Works on phone and desktop")).toBeHidden();
    await expect(limits.filter({ visible: true })).toHaveCount(0);
    await purchase.root.getByRole("button", { name: "What you get: 7 features" }).tap();
    await expect(purchase.notice("Works on phone and desktop")).toBeVisible();
    await expect(limits.filter({ visible: true })).toHaveCount(1);
    await purchase.root.getByText("30 Days", { exact: true }).tap();
  });
  // What was read and chosen on the way is no part of the shortest way: the cheapest duration is chosen already.
  await tap(purchase.pay("₹119"));
  await tap(purchase.gatewayButton("Pay"));
  await tap(purchase.root.getByRole("link", { name: "Show code of Canva" }));
  await purchase.expectToolPage("canva");
  const server = shop.server("Server 1");
  const code = server.getByLabel("The code for Server 1");
  await expect(code).toHaveValue(/\S/);
  await expect(code).toBeInViewport({ ratio: 1 });
  expect(taps.length, taps.join("\n")).toBeLessThanOrEqual(5);
  expect(fields.length, fields.join("\n")).toBeLessThanOrEqual(2);
  expect(await listPurchases(email)).toEqual([
    { tool: "Canva", status: "completed", stock: "used", days: 30, amount: 11_900 },
  ]);
  expect(await countCaptures(email)).toBe(1);
  expect(await readStock("canva")).toBe(before - 1);
  await test.step("the page shows a code after a press only, also when it is loaded again", async () => {
    await shop.reload();
    await expect(server.getByRole("button", { name: "Show code" })).toBeInViewport();
    await expect(code).toHaveCount(0);
    await tap(server.getByRole("button", { name: "Show code" }));
    await expect(code).toHaveValue(/\S/);
  });
});

test("the shop and the account have one header, and what is pressed there is 8 px apart at 360 px", async ({
  shop,
  page,
}) => {
  const { email } = await signInAsNewUser(page);
  await buyPass(page, "canva", "7 Days");
  const header = page.getByRole("banner");
  for (const path of ["/", "/dashboard", "/account"]) {
    await shop.open(path);
    const isAccount = path !== "/";
    // The home page has the search in its place.
    await expect(header.getByRole("link", { name: "Daypass", exact: true })).toBeInViewport({ ratio: 1 });
    if (isAccount) await expect(header.getByText("Daypass", { exact: true })).toBeInViewport({ ratio: 1 });
    const others = path === "/dashboard" ? "Account" : "Dashboard";
    await expect(shop.accountNav.getByRole("link", { name: others })).toBeVisible();
    await expect(
      shop.accountNav.getByRole("button", { name: isAccount ? "Sign Out" : "Logout" }),
    ).toBeVisible();
    await expect(header.getByText(email)).toHaveCount(isAccount ? 1 : 0);
    const controls = page.locator(isAccount ? "header, main, footer" : "header").locator("a, button");
    const near = await controls.filter({ visible: true }).evaluateAll((shown) => {
      const boxes = shown.map((control) => ({
        name: control.textContent,
        box: control.getBoundingClientRect(),
      }));
      return boxes.flatMap(({ name, box: a }, at) =>
        boxes
          .slice(at + 1)
          .filter(
            ({ box: b }) =>
              Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom) < 8,
          )
          .map((other) => `${name} and ${other.name}`),
      );
    });
    expect(near, path).toEqual([]);
    await takeScreenshot(page, `header of ${isAccount ? path.slice(1) : "home"} 360`);
  }
});

test("the total and Pay stay in view on a phone held sideways, and so do the choices of the test payment", async ({
  shop,
  page,
}) => {
  const { purchase } = shop;
  await page.setViewportSize({ width: 740, height: 360 });
  await signInAsNewUser(page);
  await shop.open("/shop/aihumanizer");
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Get access to / })
    .first()
    .tap();
  const pay = purchase.pay("₹99");
  const total = purchase.root.locator("dl");
  const expectBarInView = async () => {
    await expect(pay).toBeInViewport({ ratio: 1 });
    await expect(total).toBeInViewport({ ratio: 1 });
  };
  await test.step("the total is beside Pay, and both leave two thirds of the window to the rest", async () => {
    await expectBarInView();
    const body = page.locator(".dialog-body");
    expect(await body.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    const [payBox, totalBox] = [await pay.boundingBox(), await total.boundingBox()];
    expect((totalBox?.x ?? 0) + (totalBox?.width ?? 0)).toBeLessThanOrEqual(payBox?.x ?? 0);
    expect((await total.locator("..").boundingBox())?.height).toBeLessThanOrEqual(120);
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expectBarInView();
  });
  await test.step("the test payment shows its choices and what the bank said", async () => {
    await pay.tap();
    for (const name of ["Pay", "Fail", "Close"] as const)
      await expect(purchase.gatewayButton(name)).toBeInViewport({ ratio: 1 });
    await purchase.gatewayButton("Fail").tap();
    await expect(purchase.gateway.getByText("The bank declined the payment.")).toBeInViewport({ ratio: 1 });
    await purchase.gatewayButton("Close").tap();
  });
  await test.step("so does the message about the payment that was declined", async () => {
    await expect(
      purchase.notice("Your bank declined the payment. If money left your account, the bank returns it."),
    ).toBeInViewport({ ratio: 1 });
    await expectBarInView();
  });
});
