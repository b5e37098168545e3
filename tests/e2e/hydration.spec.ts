import { expect, type Page } from "@playwright/test";
import { signInAsAdmin } from "./admin-page.ts";
import { test } from "./fixtures.ts";
import { ShopPage } from "./shop-page.ts";
import { buyPass, signInAsNewUser } from "./test-users.ts";

/**
 * The elements of the page as the server has rendered it, or as it is in the browser: a line for each element with its
 * attributes, and for each text. What is not rendered by the page's components is left out.
 *
 * @param changing selects what the page itself changes when it has started
 */
function describePage(page: Page, html: string | null, changing: string): Promise<string[]> {
  return page.evaluate(
    ([source, ignored]) => {
      const parsed = source === null ? document : new DOMParser().parseFromString(source, "text/html");
      const lines: string[] = [];
      const describe = (node: Node, depth: string): void => {
        if (node instanceof Text) lines.push(`${depth}${node.data}`);
        if (!(node instanceof Element) || node.matches(`script, link, noscript, ${ignored}`)) return;
        const attributes = [...node.attributes]
          .filter(({ name }) => name !== "nonce")
          .map(({ name, value }) => `${name}=${value}`);
        lines.push(`${depth}<${node.localName} ${attributes.sort().join(" ")}>`);
        node.normalize();
        for (const child of node.childNodes) describe(child, `${depth} `);
      };
      describe(parsed.body, "");
      return lines;
    },
    [html, changing] as const,
  );
}

/** Compares the page that the server sent with the page that the browser has made of it. */
async function expectUnchangedByHydration(page: Page, path: string, changing = ":not(*)"): Promise<void> {
  const sent = page.waitForResponse((response) => response.request().resourceType() === "document");
  await page.goto(path);
  const html = await (await sent).text();
  await new ShopPage(page).waitForHydration();
  // Cards and the footer are hydrated after the rest. React keeps what it knows of an element in properties of it.
  await page.waitForFunction(() =>
    [...document.querySelectorAll("main button:enabled, footer button")].every(
      (button) => Object.keys(button).length > 0,
    ),
  );
  const rendered = await describePage(page, html, changing);
  expect(await describePage(page, null, changing), path).toEqual(rendered);
}

test("the browser takes over the pages of a visitor and of a buyer as the server has rendered them", async ({
  shop,
  page,
}) => {
  await test.step("the pages of a visitor", async () => {
    for (const path of ["/", "/?q=netflx", "/shop/canva", "/sign-in", "/terms", "/nowhere"]) {
      await expectUnchangedByHydration(page, path);
    }
    // The minutes that are left.
    await expectUnchangedByHydration(page, "/giveaway", "main span.tabular-nums");
  });
  await test.step("the pages of a buyer", async () => {
    await signInAsNewUser(page);
    await buyPass(page, "canva", "7 Days");
    for (const path of ["/", "/shop/canva", "/dashboard", "/account", "/tools/canva"]) {
      // The notice about the extension, and the space that the page leaves for it.
      await expectUnchangedByHydration(page, path, '[role="dialog"], .h-60');
    }
  });
  await test.step("what an extension of the browser has added before the page starts stays in it", async () => {
    await page.addInitScript(() => {
      addEventListener("DOMContentLoaded", () => {
        for (const parent of [document.head, document.body]) {
          parent.prepend(Object.assign(document.createElement("template"), { className: "of-an-extension" }));
        }
      });
    });
    await shop.open("/");
    await expect(page.locator("head > .of-an-extension")).toHaveCount(1);
    await expect(page.locator("body > .of-an-extension")).toHaveCount(1);
    await expect(shop.cards).toHaveCount(12);
  });
});

test("the browser takes over the admin's pages as the server has rendered them", async ({ shop, page }) => {
  await signInAsAdmin(shop);
  for (const path of ["/admin", "/admin/tools", "/admin/coupons", "/admin/users", "/admin/settings"]) {
    // The state of the live connection, and the overview, which a wide window unfolds.
    await expectUnchangedByHydration(page, path, "output, details");
  }
});
