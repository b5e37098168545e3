import { expect, type Page } from "@playwright/test";
import { layOutAllCards, takeScreenshot } from "./accessibility.ts";

interface TextSize {
  width: number;
  /** Property of the root element: scales the whole page, or the text only, as phones do. */
  property: "font-size" | "-webkit-text-size-adjust";
  value: string;
}

const TEXT_SIZES: readonly TextSize[] = [
  { width: 390, property: "font-size", value: "130%" },
  { width: 390, property: "font-size", value: "160%" },
  { width: 390, property: "font-size", value: "200%" },
  { width: 360, property: "font-size", value: "200%" },
  { width: 360, property: "-webkit-text-size-adjust", value: "130%" },
  { width: 360, property: "-webkit-text-size-adjust", value: "200%" },
];

/**
 * Checks that with enlarged text everything is readable and all controls are inside the window. Needs a mobile page:
 * others do not scale text alone.
 *
 * @param part selector of the part to check; the whole page by default
 */
export async function expectReadableWithLargeText(page: Page, name: string, part = "body"): Promise<void> {
  for (const { width, property, value } of TEXT_SIZES) {
    await page.setViewportSize({ width, height: 780 });
    await layOutAllCards(page);
    await page.evaluate(([name, size]) => document.documentElement.style.setProperty(name, size), [
      property,
      value,
    ] as const);
    const screenshotName = `${name} ${width} ${property} ${value}`;
    await takeScreenshot(page, screenshotName);
    expect.soft(await page.evaluate(findUnreadableText, { part, width }), screenshotName).toEqual([]);
    await page.evaluate((name) => document.documentElement.style.removeProperty(name), property);
  }
}

/**
 * Runs in the page. Lists each text that is cut off, covered by another, or outside the window or its tile, and each broken
 * word of the heading of a pass or a card. Compares with the width
 * of the screen, because a phone widens its window to content that does not fit.
 */
function findUnreadableText({ part, width: screenWidth }: { part: string; width: number }): string[] {
  const found: string[] = [];
  const root = document.documentElement;
  const tolerance = 1.5;
  const overflowPx = root.scrollWidth - screenWidth;
  if (overflowPx > 0) found.push(`the page scrolls sideways by ${overflowPx}`);

  // The text of a scrolled dialog is behind its header.
  for (const body of document.querySelectorAll(".dialog-body")) body.scrollTop = 0;

  const nameOf = (element: Element) =>
    `<${element.localName}> "${(element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  const isHidden = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return width <= 1 || height <= 1 || !element.checkVisibility({ visibilityProperty: true });
  };
  /** Intended: a name whose title is complete, and a description that the purchase dialog shows in full. */
  const isShortened = (element: Element) => {
    const { textOverflow, webkitLineClamp } = getComputedStyle(element);
    return (
      webkitLineClamp !== "none" || (textOverflow === "ellipsis" && element.getAttribute("title") !== null)
    );
  };
  const isClipped = (element: Element) => getComputedStyle(element).clipPath === "inset(50%)";
  /** Invisible on purpose: hidden texts, and the head of a table whose rows are cards. */
  const isForScreenReaders = (element: Element) => {
    const head = element.closest("thead");
    return element.closest(".sr-only") !== null || (head !== null && isClipped(head));
  };
  /** In a row of tabs, links or figures that scrolls by itself, and is inside the window. */
  const isInScrollingRow = (element: Element) => {
    const rows = '[role="tablist"], nav, section[tabindex="0"]';
    for (let row = element.closest(rows); row; row = row.parentElement?.closest(rows) ?? null) {
      if (getComputedStyle(row).overflowX !== "auto") continue;
      const { left, right } = row.getBoundingClientRect();
      return left >= -tolerance && right <= screenWidth + tolerance;
    }
    return false;
  };
  const isFixed = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { position } = getComputedStyle(at);
      if (position === "fixed" || position === "sticky") return true;
      if (at.matches(part)) return false;
    }
    return false;
  };

  for (const scope of document.querySelectorAll(part)) {
    for (const tile of scope.querySelectorAll(".logo-tile")) {
      if (isHidden(tile)) continue;
      const box = tile.getBoundingClientRect();
      const letters = document.createRange();
      letters.selectNodeContents(tile);
      const text = letters.getBoundingClientRect();
      if (text.left < box.left || text.right > box.right) found.push(`outside its tile: ${nameOf(tile)}`);
    }
    for (const heading of scope.querySelectorAll("main :is(li, header) :is(h1, h2, h3)")) {
      if (isHidden(heading) || isForScreenReaders(heading)) continue;
      for (const node of heading.childNodes) {
        for (const { index, 0: word } of (node.nodeType === Node.TEXT_NODE ? node.textContent : "")?.matchAll(
          /[^\s-]+/g,
        ) ?? []) {
          const letters = document.createRange();
          letters.setStart(node, index);
          letters.setEnd(node, index + word.length);
          const lines = new Set([...letters.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) found.push(`broken word: ${word}`);
        }
      }
    }
  }

  const texts: Array<{ element: Element; box: DOMRect }> = [];
  for (const scope of document.querySelectorAll(part)) {
    for (const element of scope.querySelectorAll("*")) {
      if (isHidden(element) || isForScreenReaders(element) || element.closest("svg")) continue;
      if (isInScrollingRow(element)) continue;
      const style = getComputedStyle(element);
      const cutsX =
        /hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + tolerance;
      const cutsY =
        /hidden|clip/.test(style.overflowY) && element.scrollHeight > element.clientHeight + tolerance;
      if (isShortened(element)) continue;
      if ((cutsX || cutsY) && (element.textContent ?? "").trim() !== "")
        found.push(`cut off: ${nameOf(element)}`);
      const box = element.getBoundingClientRect();
      const isReadOnlyField = element.matches("input:read-only, textarea:read-only");
      if (isReadOnlyField && element.scrollWidth > element.clientWidth + tolerance)
        found.push(`cut off: ${nameOf(element)}`);
      const isControl = element.matches("a, button, input, summary, label");
      if (isControl && (box.left < -tolerance || box.right > screenWidth + tolerance)) {
        found.push(`outside the window: ${nameOf(element)}`);
      }
      for (const node of element.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || (node.textContent ?? "").trim() === "") continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const line of range.getClientRects()) {
          if (line.left < -tolerance || line.right > screenWidth + tolerance) {
            found.push(`text outside the window: ${nameOf(element)}`);
          }
          const control = element.closest("a, button");
          const controlBox = control?.getBoundingClientRect();
          const overflowsControl =
            controlBox &&
            getComputedStyle(control as Element).display !== "inline" &&
            (line.left < controlBox.left - tolerance ||
              line.right > controlBox.right + tolerance ||
              line.top < controlBox.top - 4 ||
              line.bottom > controlBox.bottom + 4);
          if (overflowsControl) found.push(`text outside its button: ${nameOf(element)}`);
          if (!isFixed(element)) texts.push({ element, box: line });
        }
      }
    }
  }
  for (const [at, one] of texts.entries()) {
    for (const other of texts.slice(at + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (width > 2 && height > Math.min(one.box.height, other.box.height) * 0.35) {
        found.push(`overlapping: ${nameOf(one.element)} and ${nameOf(other.element)}`);
      }
    }
  }
  return [...new Set(found)];
}
