import { expect, type Page } from "@playwright/test";
import { test } from "./fixtures.ts";

/** What the styles of every element of the page come to, in the order of the page. */
const describeStyles = (page: Page) =>
  page.evaluate(async () => {
    // A card has the height of its placeholder until a frame has shown that the card is in view.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    // The chosen option changes its colours while the page is being read.
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(transitions.map(({ finished }) => finished));
    return [...document.body.querySelectorAll("*")].map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const { color, backgroundColor, fontSize, fontWeight, borderTopColor, borderRadius, opacity } = style;
      return [
        `${element.localName}.${element.getAttribute("class")}`,
        ...[x, y, width, height].map(Math.round),
        color,
        backgroundColor,
        fontSize,
        fontWeight,
        borderTopColor,
        borderRadius,
        opacity,
      ].join(" ");
    });
  });

/** The address of the stylesheet, which pages without inline styles have in their head. */
async function findStylesheet(page: Page): Promise<string> {
  const html = await (await page.request.get("/admin/login")).text();
  return page.evaluate((text) => {
    const link = new DOMParser().parseFromString(text, "text/html").querySelector('link[rel="stylesheet"]');
    return link?.getAttribute("href") ?? "";
  }, html);
}

test("a page looks the same before its stylesheet has loaded as after", async ({ page }) => {
  // The page stays as the server has sent it.
  await page.route("**/assets/*.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  for (const path of ["/", "/shop/canva", "/shop/udemy"]) {
    for (const [width, colorScheme] of [
      [390, "light"],
      [1280, "dark"],
    ] as const) {
      await test.step(`${path} at ${width} px`, async () => {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await page.goto(path);
        const before = await describeStyles(page);
        await page.addStyleTag({ url: await findStylesheet(page) });
        expect(await describeStyles(page)).toEqual(before);
      });
    }
  }
});
