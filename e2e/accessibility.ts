import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WIDTHS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
const SCHEMES = ["light", "dark"] as const;

/**
 * Checks the page in every size and colour scheme with axe, and that it does not scroll sideways. With E2E_SHOTS set,
 * saves screenshots in that folder.
 *
 * @param part selector of the part to check, when the rest is checked elsewhere
 */
export async function expectAccessible(page: Page, name: string, part?: string): Promise<void> {
  for (const viewport of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await layOutAllCards(page);
      await finishAnimations(page);
      const screenshotName = `${name} ${viewport.width} ${colorScheme}`;
      await takeScreenshot(page, screenshotName);
      const overflowPx = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflowPx, `${screenshotName} scrolls sideways by`).toBeLessThanOrEqual(0);
      // The dark scheme differs in colours only.
      // Faster than the default, which analyses the result in another page for frames of other origins. There are none here,
      // and the details of rules that pass are not needed.
      const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });
      if (part) axe.include(part);
      const { violations } = await (colorScheme === "dark" ? axe.withRules("color-contrast") : axe).analyze();
      const found = violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
      expect(found, screenshotName).toEqual([]);
    }
  }
}

/** Cards out of view have no layout, and the colours of before, until somebody scrolls to them. */
export async function layOutAllCards(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const item of document.querySelectorAll("li")) item.style.contentVisibility = "visible";
  });
}

/**
 * A colour in transition fails the contrast check. Animations are finished here because a page without frames never
 * ends them.
 */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(() => {
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    for (const animation of moving) animation.finish();
  });
}

export async function takeScreenshot(page: Page, screenshotName: string): Promise<void> {
  const folder = process.env.E2E_SHOTS;
  if (!folder) return;
  const path = join(folder, `${screenshotName.replaceAll(" ", "-")}.png`);
  await page.screenshot({ path, fullPage: (await page.getByRole("dialog").count()) === 0 });
}
