import { expect, type Page } from "@playwright/test";
import { takePicture } from "./looks.ts";

interface Enlargement {
  width: number;
  /** Of the root element: the measure of the whole page, or the size of the text alone as phones enlarge it. */
  property: "font-size" | "-webkit-text-size-adjust";
  value: string;
}

const ENLARGEMENTS: readonly Enlargement[] = [
  { width: 390, property: "font-size", value: "130%" },
  { width: 390, property: "font-size", value: "160%" },
  { width: 390, property: "font-size", value: "200%" },
  { width: 360, property: "font-size", value: "200%" },
  { width: 360, property: "-webkit-text-size-adjust", value: "130%" },
  { width: 360, property: "-webkit-text-size-adjust", value: "200%" },
];

/**
 * Looks at what is on the screen with enlarged text: all of it can be read, and everything that can be pressed is inside
 * the window. Needs a page that behaves as a phone's: others do not enlarge text alone.
 *
 * @param part selector of what to look at; the whole page otherwise
 */
export async function expectRoomForText(page: Page, name: string, part = "body"): Promise<void> {
  for (const { width, property, value } of ENLARGEMENTS) {
    await page.setViewportSize({ width, height: 780 });
    await page.evaluate(([name, size]) => document.documentElement.style.setProperty(name, size), [
      property,
      value,
    ] as const);
    const look = `${name} ${width} ${property} ${value}`;
    await takePicture(page, look);
    expect.soft(await page.evaluate(findCrampedText, { part, width }), look).toEqual([]);
    await page.evaluate((name) => document.documentElement.style.removeProperty(name), property);
  }
}

/** Runs in the page. A phone widens its window to what does not fit, so the width of the screen counts. Says of each text that is cut off, covered by another, or outside the window, where it stands. */
function findCrampedText({ part, width: screenWidth }: { part: string; width: number }): string[] {
  const found: string[] = [];
  const root = document.documentElement;
  const tolerance = 1.5;
  const sideways = root.scrollWidth - screenWidth;
  if (sideways > 0) found.push(`the page scrolls sideways by ${sideways}`);

  const nameOf = (element: Element) =>
    `<${element.localName}> "${(element.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40)}"`;
  const isHidden = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    return width <= 1 || height <= 1 || !element.checkVisibility({ visibilityProperty: true });
  };
  /** On purpose: a name whose title says all of it, and a description that the purchase dialog shows in full. */
  const isShortened = (element: Element) => {
    const { textOverflow, webkitLineClamp } = getComputedStyle(element);
    return (
      webkitLineClamp !== "none" || (textOverflow === "ellipsis" && element.getAttribute("title") !== null)
    );
  };
  const isForListeners = (element: Element) => element.closest(".sr-only") !== null;
  const floats = (element: Element): boolean => {
    for (let at: Element | null = element; at; at = at.parentElement) {
      const { position } = getComputedStyle(at);
      if (position === "fixed" || position === "sticky") return true;
      if (at.matches(part)) return false;
    }
    return false;
  };

  const texts: Array<{ element: Element; box: DOMRect }> = [];
  for (const scope of document.querySelectorAll(part)) {
    for (const element of scope.querySelectorAll("*")) {
      if (isHidden(element) || isForListeners(element) || element.closest("svg")) continue;
      const style = getComputedStyle(element);
      const cutsX =
        /hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + tolerance;
      const cutsY =
        /hidden|clip/.test(style.overflowY) && element.scrollHeight > element.clientHeight + tolerance;
      if (isShortened(element)) continue;
      if ((cutsX || cutsY) && (element.textContent ?? "").trim() !== "")
        found.push(`cut off: ${nameOf(element)}`);
      const box = element.getBoundingClientRect();
      const isToBeRead = element.matches("input:read-only, textarea:read-only");
      if (isToBeRead && element.scrollWidth > element.clientWidth + tolerance)
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
          const around = control?.getBoundingClientRect();
          const spills =
            around &&
            getComputedStyle(control as Element).display !== "inline" &&
            (line.left < around.left - tolerance ||
              line.right > around.right + tolerance ||
              line.top < around.top - 4 ||
              line.bottom > around.bottom + 4);
          if (spills) found.push(`text outside its button: ${nameOf(element)}`);
          if (!floats(element)) texts.push({ element, box: line });
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
        found.push(`one over the other: ${nameOf(one.element)} and ${nameOf(other.element)}`);
      }
    }
  }
  return [...new Set(found)];
}
