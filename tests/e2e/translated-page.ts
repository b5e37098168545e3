import type { BrowserContext } from "@playwright/test";

/**
 * Does to each page what Chrome's translation does: every text, also one that comes later, moves into two new elements. The words
 * stay, so that a test finds them.
 *
 * @param when "loaded": after the scripts of the page have started; "at once": also before
 */
export async function translatePages(context: BrowserContext, when: "loaded" | "at once" = "loaded") {
  await context.addInitScript((begins) => {
    const UNTOUCHED = "script, style, noscript, textarea, head, svg, font";
    const wrap = (text: Node) => {
      const parent = text.parentElement;
      if (parent === null || text.nodeValue?.trim() === "" || parent.closest(UNTOUCHED)) return;
      const outer = document.createElement("font");
      const inner = document.createElement("font");
      inner.append(text.nodeValue ?? "");
      outer.append(inner);
      text.parentNode?.replaceChild(outer, text);
    };
    const wrapBelow = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Node[] = [];
      for (
        let node = root.nodeType === Node.TEXT_NODE ? root : walker.nextNode();
        node;
        node = walker.nextNode()
      )
        texts.push(node);
      for (const text of texts) wrap(text);
    };
    const begin = () => {
      wrapBelow(document.body);
      new MutationObserver((changes) => {
        for (const { target, addedNodes, type } of changes)
          for (const node of type === "characterData" ? [target] : addedNodes)
            if (node.isConnected) wrapBelow(node);
      }).observe(document.documentElement, { childList: true, characterData: true, subtree: true });
    };
    if (begins === "at once") document.addEventListener("readystatechange", begin, { once: true });
    else window.addEventListener("load", () => setTimeout(begin, 300));
  }, when);
}
