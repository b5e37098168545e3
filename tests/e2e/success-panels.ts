import type { BrowserContext, Page } from "@playwright/test";

/** A success panel that the page has shown. Times in milliseconds since the page was opened. */
export interface SuccessPanel {
  title: string;
  text: string;
  shownAt: number;
  /** Null while the panel is visible. */
  goneAt: number | null;
}

declare global {
  interface Window {
    successPanels?: SuccessPanel[];
  }
}

/**
 * Makes the pages of a browser record their success panels. A panel closes by itself after two seconds: on a machine
 * that stalls for as long, a test that looks from outside misses it.
 */
export async function recordSuccessPanels(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const titles = ["Payment received", "You have access", "पेमेंट हो गया"];
    const panels: SuccessPanel[] = [];
    window.successPanels = panels;
    const record = () => {
      const heading = [...document.querySelectorAll("[role=dialog] [role=status] h3")].find(
        (element) => titles.includes(element.textContent ?? "") && element.checkVisibility(),
      );
      const last = panels.at(-1);
      const isShown = last !== undefined && last.goneAt === null;
      // The panel stays in the document while its dialog fades out.
      const isFading = heading !== undefined && heading.closest("[data-closed]") !== null;
      if (heading && !isShown && !isFading) {
        const text = heading.closest("section")?.textContent ?? "";
        panels.push({ title: heading.textContent ?? "", text, shownAt: performance.now(), goneAt: null });
      }
      if (isShown && (!heading || isFading)) last.goneAt = performance.now();
    };
    new MutationObserver(record).observe(document, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ["data-closed"],
    });
  });
}

/** The success panel that the page has shown last. It may have closed by itself since. */
export function readSuccessPanel(page: Page): Promise<SuccessPanel | undefined> {
  return page.evaluate(() => window.successPanels?.at(-1));
}
