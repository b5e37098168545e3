import type { BrowserContext } from "@playwright/test";

/**
 * Pages of the context are translated as Chrome does it: each text, also one that comes later, is replaced by one in two `<font>`
 * elements, which is the same here so that tests find it. What is in `translate="no"` stays. A page that writes into a text which was replaced shows an
 * old one; that is reported as an error of the console.
 *
 * @param from when the translation begins: as soon as the page answers, or with its first text
 */
export async function translatePages(context: BrowserContext, from: "hydration" | "start"): Promise<void> {
  await context.addInitScript((begin) => {
    const stale = new MutationObserver((changes) => {
      for (const { target, oldValue } of changes)
        console.error(`shows '${oldValue}' although it is '${target.nodeValue}' now`);
    });
    const replace = (text: Text) => {
      const parent = text.parentElement;
      if (text.data.trim() === "" || parent === null) return;
      if (parent.closest("font, script, style, noscript, textarea, option, title, [translate=no]") !== null)
        return;
      const [outer, inner] = [document.createElement("font"), document.createElement("font")];
      for (const font of [outer, inner]) font.style.verticalAlign = "inherit";
      inner.append(text.data);
      outer.append(inner);
      text.replaceWith(outer);
      stale.observe(text, { characterData: true, characterDataOldValue: true });
    };
    const replaceIn = (node: Node) => {
      if (node instanceof Text) return replace(node);
      const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      const found: Text[] = [];
      while (texts.nextNode()) if (texts.currentNode instanceof Text) found.push(texts.currentNode);
      for (const text of found) replace(text);
    };
    const start = () => {
      replaceIn(document);
      new MutationObserver((changes) => {
        for (const { type, target, addedNodes } of changes)
          if (type === "characterData") replaceIn(target);
          else for (const node of addedNodes) if (node.isConnected) replaceIn(node);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    };
    if (begin === "start") return start();
    new PerformanceObserver((marks, observer) => {
      if (marks.getEntriesByName("page-hydrated").length === 0) return;
      observer.disconnect();
      // After the texts that the effects of the first rendering change.
      setTimeout(start);
    }).observe({ type: "mark", buffered: true });
  }, from);
}
