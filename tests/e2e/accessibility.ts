import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, type Frame, type Locator, type Page } from "@playwright/test";
import type axe from "axe-core";
import type { RunOptions } from "axe-core";

declare global {
  interface Window {
    axe?: typeof axe;
  }
}

// Each document compiles it anew, which takes half as long as with `axe.source`.
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
];
const SCHEMES = ["light", "dark"] as const;
// The details of rules that pass are not needed, nor are the stylesheets, which only an experimental rule reads.
const ALL_RULES: RunOptions = { resultTypes: ["violations"], preload: { assets: ["media"] } };
const CONTRAST_ONLY: RunOptions = { ...ALL_RULES, runOnly: { type: "rule", values: ["color-contrast"] } };
/** A password manager cannot tell whose password such a form asks for. */
const WITHOUT_USERNAME =
  "form:has(input[type=password]):not(:has(input[autocomplete=username], input[type=email]))";

/**
 * Checks the page in every size and colour scheme with axe, that it does not scroll sideways, and that each form with a
 * password has a username. With E2E_SHOTS set, saves screenshots in that folder. A page that passes has its own size, scheme
 * and motion again.
 *
 * @param part selector of the part to check, when the rest is checked elsewhere
 */
export async function expectAccessible(page: Page, name: string, part?: string): Promise<void> {
  const sizeBefore = page.viewportSize();
  for (const viewport of WIDTHS) {
    await page.setViewportSize(viewport);
    await expectAccessibleInThisSize(page, name, part);
  }
  if (sizeBefore) await page.setViewportSize(sizeBefore);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/** The same in the size that the page has, for a test that runs once for each size. */
async function expectAccessibleInThisSize(page: Page, name: string, part?: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await layOutAllCards(page);
    await finishAnimations(page);
    const screenshotName = `${name} ${page.viewportSize()?.width} ${colorScheme}`;
    await takeScreenshot(page, screenshotName);
    const overflowPx = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflowPx, `${screenshotName} scrolls sideways by`).toBeLessThanOrEqual(0);
    await expect(page.locator(WITHOUT_USERNAME), `${screenshotName}: whose password?`).toHaveCount(0);
    // The dark scheme differs in colours only.
    const found = await findViolations(page, colorScheme === "dark" ? CONTRAST_ONLY : ALL_RULES, part);
    expect(found, screenshotName).toEqual([]);
  }
}

/**
 * What axe finds in the page and in its frames. It asks none where one is of another site, because the browser reports each such
 * question as an error. A mail has an origin of its own, in which no script runs.
 */
async function findViolations(
  page: Page,
  options: RunOptions,
  part: string | undefined,
): Promise<Array<{ id: string; at: string[] }>> {
  for (const frame of page.frames()) await addAxe(frame);
  const { origin } = new URL(page.url());
  const iframes = page
    .frames()
    .every((frame) => !/^https?:/.test(frame.url()) || frame.url().startsWith(origin));
  return await page.evaluate(
    async ([context, runOptions]) => {
      if (!window.axe) throw new Error("The page was replaced during its check.");
      const { violations } = await window.axe.run(context ?? document, runOptions);
      return violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
    },
    [part, { ...options, iframes }] as const,
  );
}

/** A document keeps axe for its later checks, because to load it takes nearly as long as a check. */
async function addAxe(frame: Frame): Promise<void> {
  const isMissing = await frame.evaluate(() => self.origin !== "null" && window.axe === undefined);
  if (isMissing) await frame.evaluate(AXE);
}

/** Cards out of view have no layout, and the colours of before, until somebody scrolls to them. */
export async function layOutAllCards(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const item of document.querySelectorAll("li")) item.style.contentVisibility = "visible";
  });
}

/**
 * A colour in transition fails the contrast check. A finished animation has its last colours in the frame that follows,
 * in which a listener of the size or the scheme may start another animation.
 */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isMoving = ({ effect, playState }: Animation) =>
      playState !== "finished" && effect?.getComputedTiming().endTime !== Infinity;
    do {
      for (const animation of document.getAnimations().filter(isMoving)) animation.finish();
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    } while (document.getAnimations().some(isMoving));
  });
}

/** @param part a part of a page that is higher than a picture can be */
export async function takeScreenshot(page: Page, screenshotName: string, part?: Locator): Promise<void> {
  const folder = process.env.E2E_SHOTS;
  if (!folder) return;
  const path = join(folder, `${screenshotName.replaceAll(" ", "-")}.png`);
  const clip = await part?.boundingBox();
  const fullPage = (await page.getByRole("dialog").count()) === 0;
  await page.screenshot({ path, fullPage, ...(clip && { clip }) });
}
