import { expect } from "@playwright/test";
import { takeScreenshot } from "./accessibility.ts";
import { test } from "./fixtures.ts";
import { holdRequests } from "./hold-requests.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

/** Whether the ring of a pressed control covers its text; null without a ring. */
function ringCoversText(control: Element): boolean | null {
  const { content, position, marginLeft, left, top, width, height } = getComputedStyle(control, "::before");
  if (content === "none") return null;
  // Before the text, in the space that its margins give back.
  if (position === "static") return marginLeft !== "-12px";
  const text = document.createRange();
  text.selectNodeContents(control);
  const box = control.getBoundingClientRect();
  const ringLeft = box.left + control.clientLeft + parseFloat(left);
  const ringTop = box.top + control.clientTop + parseFloat(top);
  return [...text.getClientRects()].some(
    (line) =>
      line.left < ringLeft + parseFloat(width) &&
      line.right > ringLeft &&
      line.top < ringTop + parseFloat(height) &&
      line.bottom > ringTop,
  );
}

for (const width of [390, 1280]) {
  test.describe(`${width} pixels wide`, () => {
    test.use({ viewport: { width, height: 844 } });

    test("a pressed link or button shows at once that its page is coming", async ({ shop, page }) => {
      await signInAsNewUser(page);
      await buyPass(page, "canva", "7 Days");
      const presses = [
        { on: "/", role: "button", name: /^Open Canva/, to: "/tools/canva" },
        { on: "/", role: "link", name: "Dashboard", to: "/dashboard" },
        { on: "/", role: "link", name: /of QuillBot$/, to: "/shop/quillbot" },
        { on: "/dashboard", role: "link", name: "Open Canva", to: "/tools/canva" },
      ] as const;
      for (const { on, role, name, to } of presses) {
        await shop.open(on);
        const release = await holdRequests(page, `**${to}.data*`);
        const control = page.getByRole(role, { name });
        const { height } = (await control.boundingBox()) ?? {};
        await control.click();
        await expect(control).toHaveAttribute("data-awaits");
        expect((await control.boundingBox())?.height).toBe(height);
        expect(await control.evaluate(ringCoversText)).toBe(false);
        await expect(control).toHaveCSS("opacity", "1");
        await takeScreenshot(page, `pressed ${to.slice(1).replace("/", " ")} ${width}`);
        release();
        await expect(page).toHaveURL(to);
        await expect(page.locator("[data-awaits]")).toHaveCount(0);
        await page.unrouteAll();
      }
    });

    test("a pressed link to the home page shows it until the skeleton of the page is there", async ({
      shop,
      page,
    }) => {
      await signInAsNewUser(page);
      await shop.open("/dashboard");
      const link = page.getByRole("link", { name: "Purchase Tools" });
      const isPressed = link.evaluate(
        (element) =>
          new Promise((resolve) => {
            const observer = new MutationObserver(() => resolve(element.hasAttribute("data-awaits")));
            observer.observe(element, { attributeFilter: ["data-awaits"] });
          }),
      );
      await link.click();
      expect(await isPressed).toBe(true);
      await expect(shop.cards).toHaveCount(12);
      await expect(page.locator("[data-awaits]")).toHaveCount(0);
    });
  });
}
