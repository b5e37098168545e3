import { expect, type Page } from "@playwright/test";
import { expectAccessible } from "./accessibility.ts";
import { test } from "./fixtures.ts";

const PALE = "color: #bbb; background: #fff";

/** A page of the shop's address without a fault, except for the fault that is passed. */
async function openPage(page: Page, content: string): Promise<void> {
  const html = (main: string) =>
    `<!doctype html><html lang="en"><title>Faults</title><meta name="viewport" content="width=device-width">
    <style>:root { color: #222; background: #fff } p { transition: color 3600s }
    @media (prefers-color-scheme: dark) { :root { color: #fff; background: #000 } }</style>
    <main><h1>Faults</h1><p>Text</p>${main}</main>`;
  const respond = (path: string, main: string) =>
    page.route(path, (route) => route.fulfill({ contentType: "text/html", body: html(main) }));
  await respond("**/page-with-a-fault", content);
  await respond("**/frame-with-a-fault", "<input>");
  await page.goto("/page-with-a-fault");
}

test("a page without a fault passes the check, also when a colour is in transition", async ({ page }) => {
  await openPage(page, "");
  await expectAccessible(page, "no fault");
});

const FAULTS = [
  ["a field without a label", "<input>", /1280 light.*"label"/s],
  ["a pale text", `<p style="${PALE}">Pale</p>`, /1280 light.*"color-contrast"/s],
  [
    "a text that is pale in the dark only",
    `<style>@media (prefers-color-scheme: dark) { i { ${PALE} } }</style><i>Pale</i>`,
    /1280 dark.*"color-contrast"/s,
  ],
  [
    "a text that is pale on a phone only",
    `<style>@media (width < 400px) { i { ${PALE} } }</style><i>Pale</i>`,
    /390 light.*"color-contrast"/s,
  ],
  [
    "a text that is pale on a phone in the dark only",
    `<style>@media (width < 400px) and (prefers-color-scheme: dark) { i { ${PALE} } }</style><i>Pale</i>`,
    /390 dark.*"color-contrast"/s,
  ],
  [
    "a field without a label in a frame",
    '<iframe src="/frame-with-a-fault" title="Frame"></iframe>',
    /1280 light.*"label"/s,
  ],
  ["a page that scrolls sideways on a phone", '<p style="width: 500px">Wide</p>', /390 light scrolls/],
] as const;

test("the check finds each fault", async ({ page }) => {
  for (const [fault, content, found] of FAULTS) {
    await test.step(`the check finds ${fault}`, async () => {
      await openPage(page, content);
      await expect(expectAccessible(page, "fault")).rejects.toThrow(found);
    });
  }
});
