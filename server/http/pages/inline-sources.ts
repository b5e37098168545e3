import { createHash } from "node:crypto";
import { defaultTreeAdapter, parse } from "parse5";

/** What allows the inline scripts and styles of a page in its policy: `'nonce-…'` or `'sha256-…'`. */
export interface InlineSources {
  scripts: readonly string[];
  styles: readonly string[];
}

/**
 * The hashes of the inline scripts and styles that carry the nonce. A script without it, such as one in a stored text, gets
 * no hash and stays blocked. The page is parsed by the rules of browsers, so that the hashed text is the one that they hash.
 */
export function hashInlineSources(html: string, nonce: string): InlineSources {
  const hashes = { script: new Set<string>(), style: new Set<string>() };
  parse(html, {
    treeAdapter: {
      ...defaultTreeAdapter,
      /** Called at the end of each element. */
      onItemPop({ tagName, attrs, childNodes }) {
        if (tagName !== "script" && tagName !== "style") return;
        if (!attrs.some(({ name, value }) => name === "nonce" && value === nonce)) return;
        const text = childNodes.map((child) => ("value" in child ? child.value : "")).join("");
        // One without a text has its code in a file.
        if (text !== "")
          hashes[tagName].add(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
      },
    },
  });
  return { scripts: [...hashes.script], styles: [...hashes.style] };
}
