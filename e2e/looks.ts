import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const WIDTHS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
const SCHEMES = ["light", "dark"] as const;

/**
 * Looks at what is on the screen in every size and scheme: it holds nothing that keeps somebody out and nothing that
 * makes a phone scroll sideways. With E2E_SHOTS set, pictures are left in that folder.
 *
 * @param part selector of what to look into, where the rest was looked at before
 */
export async function expectGoodLooks(page: Page, name: string, part?: string): Promise<void> {
  for (const viewport of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await untilStill(page);
      const look = `${name} ${viewport.width} ${colorScheme}`;
      await takePicture(page, look);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide, `${look} scrolls sideways by`).toBeLessThanOrEqual(0);
      // What the page is made of is the same in the dark; its colours are not.
      const axe = new AxeBuilder({ page });
      if (part) axe.include(part);
      const { violations } = await (colorScheme === "dark" ? axe.withRules("color-contrast") : axe).analyze();
      const found = violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
      expect(found, look).toEqual([]);
    }
  }
}

/** A colour on its way is neither of the two that were chosen. Brought to its end, as a page without frames never gets there. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(() => {
    const moving = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    for (const animation of moving) animation.finish();
  });
}

export async function takePicture(page: Page, look: string): Promise<void> {
  const folder = process.env.E2E_SHOTS;
  if (!folder) return;
  const path = join(folder, `${look.replaceAll(" ", "-")}.png`);
  await page.screenshot({ path, fullPage: (await page.getByRole("dialog").count()) === 0 });
}
