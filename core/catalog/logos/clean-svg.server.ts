import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parse } from "parse5";

type Element = DefaultTreeAdapterTypes.Element;
type Node = DefaultTreeAdapterTypes.Node;

/**
 * What a drawing consists of, by its name in lower case: the parser does not know the spelling of all. Everything else acts,
 * loads or embeds something, or is notes of an editor.
 */
const DRAWN: ReadonlyMap<string, string> = new Map(
  `svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath linearGradient radialGradient
  stop pattern clipPath mask marker style filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix
  feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur
  feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);

/** Notes, which no picture shows. Names with a prefix belong to editors too. */
const LEFT_OUT = new Set(["title", "desc", "metadata"]);

const MOST_LEVELS = 100;
/** Also of what is drawn again by reference, so that a small file cannot stop a browser. */
const MOST_ELEMENTS = 20_000;
/** A chain of elements that refer to each other or contain each other. */
const LONGEST_CHAIN = 1_000;
/** A filter works on every point of a picture, so each of its steps counts as so many elements. */
const FILTER_STEP_WEIGHT = 50;
const MOST_FILTER_RADIUS = 50;

const XML_NAME = /^[A-Za-z_][\w.-]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows only three of them
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

const SCRIPT = "The SVG contains a script. Export it without scripts, or use PNG or WebP.";
const LOADS =
  "The SVG loads something from outside the file. Export it with everything inside, or use PNG or WebP.";
const EMBEDS =
  "The SVG contains a picture, a link, an animation or other embedded content. Export it as plain shapes, or use PNG or WebP.";
const DEFINES = "The SVG defines entities of its own. Export it as plain SVG, or use PNG or WebP.";
const TOO_COMPLEX = "The SVG is too complex. Simplify it, or use PNG or WebP.";
const NO_SIZE = "The SVG says no size. Export it with a viewBox, or use PNG or WebP.";
const NOT_PLAIN = "The SVG is damaged or not plain SVG. Export it again, or use PNG or WebP.";

class UnusableSvgError extends Error {}

/**
 * Reads an SVG, refuses what may harm whoever opens it, and writes it again from the elements that were checked. A browser
 * reads the result as XML, this reads the file as HTML: only what was understood reaches the browser, so the difference
 * cannot hide anything. Names of editors, notes and comments are left out.
 *
 * @returns null when the file is no SVG at all
 */
export function cleanSvg(file: Buffer): { text: string } | { problem: string } | null {
  const text = decode(file);
  if (text === null) return null;
  try {
    const root = findRoot(text);
    if (root === null) return null;
    return { text: write(root, { isRoot: true }) };
  } catch (error) {
    if (error instanceof UnusableSvgError) return { problem: error.message };
    throw error;
  }
}

function refuse(problem: string): never {
  throw new UnusableSvgError(problem);
}

function decode(file: Buffer): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(file);
  } catch {
    return null;
  }
}

/** The only element of the file, with a size; null when there is none. @throws UnusableSvgError */
function findRoot(source: string): Element | null {
  const document = parseBounded(source);
  const [root] = [...elementsBelow(document)].filter((one) => one.namespaceURI === html.NS.SVG);
  if (root === undefined || root.tagName !== "svg") return null;
  if (NOT_XML.test(source)) refuse(NOT_PLAIN);
  // An HTML parser ends a document type at the first ">", so entities are left behind as text.
  const around = textAround(root);
  if (around.includes("]>")) refuse(DEFINES);
  // The parser moves what an SVG cannot contain, such as a paragraph, behind it.
  if (around.trim() !== "" || isBesideOthers(root)) refuse(NOT_PLAIN);
  // The file ends before it does.
  if (!root.sourceCodeLocation?.endTag) refuse(NOT_PLAIN);
  check(root);
  if (weigh(root, elementsById(root)) > MOST_ELEMENTS) refuse(TOO_COMPLEX);
  return withViewBox(root);
}

/** @throws UnusableSvgError */
function parseBounded(source: string): DefaultTreeAdapterTypes.Document {
  let levels = 0;
  let elements = 0;
  return parse(source, {
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush() {
        if (++levels > MOST_LEVELS || ++elements > MOST_ELEMENTS) refuse(TOO_COMPLEX);
      },
      onItemPop() {
        levels--;
      },
    },
  });
}

const isElement = (node: Node): node is Element => "tagName" in node;
const childrenOf = (node: Node): Node[] => ("childNodes" in node ? node.childNodes : []);

function* elementsBelow(node: Node): Generator<Element> {
  for (const child of childrenOf(node)) {
    if (isElement(child)) yield child;
    yield* elementsBelow(child);
  }
}

/** The text of the document beside an element. */
function textAround(root: Element): string {
  const textOf = (node: Node): string => {
    if (node === root) return "";
    return "value" in node ? node.value : childrenOf(node).map(textOf).join("");
  };
  let document: Node = root;
  while ("parentNode" in document && document.parentNode) document = document.parentNode;
  return textOf(document);
}

/** Whether the body of the parsed document has another element. */
const isBesideOthers = ({ parentNode }: Element): boolean =>
  parentNode === null ||
  !("tagName" in parentNode) ||
  parentNode.tagName !== "body" ||
  parentNode.childNodes.filter(isElement).length > 1;

const isOfEditor = ({ tagName }: Element) => tagName.includes(":") || LEFT_OUT.has(tagName);

/** @throws UnusableSvgError */
function check(element: Element): void {
  // The tree adapter has bounded how deep this goes.
  if (isOfEditor(element)) return;
  const { tagName, attrs, childNodes, namespaceURI } = element;
  if (tagName === "script") refuse(SCRIPT);
  if (namespaceURI !== html.NS.SVG || !DRAWN.has(tagName.toLowerCase())) refuse(EMBEDS);
  for (const { name, prefix, value } of attrs) {
    if (/^on/i.test(name)) refuse(SCRIPT);
    if (isReference(name, prefix) && !value.trim().startsWith("#"))
      refuse(isScriptAddress(value) ? SCRIPT : LOADS);
    if (loadsSomething(value)) refuse(LOADS);
    // An entity can stand for what no XML may contain.
    if (NOT_XML.test(value)) refuse(NOT_PLAIN);
    if (name === "radius" && value.split(/[\s,]+/).some((radius) => Number(radius) > MOST_FILTER_RADIUS))
      refuse(TOO_COMPLEX);
  }
  if (NOT_XML.test(textOf(element))) refuse(NOT_PLAIN);
  if (tagName === "style" && (hasLoadingRule(textOf(element)) || loadsSomething(textOf(element))))
    refuse(LOADS);
  for (const child of childNodes) if (isElement(child)) check(child);
}

const isReference = (name: string, prefix: string | undefined): boolean =>
  ["href", "src"].includes(name.toLowerCase()) && (!prefix || prefix === "xlink");

/** Browsers ignore tabs and line breaks within a scheme. This decides only which message the admin gets. */
const isScriptAddress = (address: string): boolean =>
  address.replace(/\s/g, "").toLowerCase().startsWith("javascript:");

const textOf = ({ childNodes }: Element): string =>
  childNodes.map((child) => ("value" in child ? child.value : "")).join("");

/** Of the at-rules of CSS, those that load nothing. */
const HARMLESS_RULES = new Set(["media", "supports", "keyframes"]);

const hasLoadingRule = (css: string): boolean =>
  [...css.matchAll(/@([\w-]*)/g)].some(([, name = ""]) => !HARMLESS_RULES.has(name.toLowerCase())) ||
  css.includes("\\");

/** Whether a style names anything but a part of the same file. With an escape it could hide that. */
function loadsSomething(style: string): boolean {
  if (!style.includes("(")) return false;
  if (/\\|(?:image-set|src|image)\(/i.test(style)) return true;
  return [...style.matchAll(/url\(\s*["']?\s*(.?)/gi)].some(([, first]) => first !== "#");
}

function elementsById(root: Element): ReadonlyMap<string, Element> {
  const found = new Map<string, Element>();
  for (const element of elementsBelow(root))
    for (const { name, value } of element.attrs) if (name === "id") found.set(value, element);
  return found;
}

/**
 * How many elements a browser draws for one, with those that it and its parts refer to. A marker may be drawn at each corner of
 * each path, whatever refers to it.
 */
function weigh(root: Element, byId: ReadonlyMap<string, Element>): number {
  const known = new Map<Element, number>();
  const corners = countCorners(root);
  const timesDrawn = (name: string) =>
    name === "marker" ? corners : name.startsWith("fe") ? FILTER_STEP_WEIGHT : 1;
  const weight = (element: Element, chain = 1): number => {
    if (chain > LONGEST_CHAIN) refuse(TOO_COMPLEX);
    const before = known.get(element);
    if (before !== undefined) return before;
    // A circle of references ends here, as in a browser.
    known.set(element, 0);
    const parts = [...element.childNodes.filter(isElement), ...referencesOf(element, byId)];
    const sum = Math.min(
      parts.reduce((total, part) => total + weight(part, chain + 1), 1) *
        timesDrawn(element.tagName.toLowerCase()),
      MOST_ELEMENTS + 1,
    );
    known.set(element, sum);
    return sum;
  };
  return weight(root);
}

/** At most so many corners have all paths together: each needs a number and a space. */
function countCorners(root: Element): number {
  let characters = 2;
  for (const { attrs } of elementsBelow(root))
    for (const { name, value } of attrs) if (name === "d" || name === "points") characters += value.length;
  return characters / 2;
}

function referencesOf({ attrs }: Element, byId: ReadonlyMap<string, Element>): Element[] {
  return attrs.flatMap(({ name, value }) => {
    const ids =
      name === "href" ? [value.trim().slice(1)] : [...value.matchAll(/#([^"')\s]+)/g)].map(([, id]) => id);
    return ids.flatMap((id) => byId.get(id ?? "") ?? []);
  });
}

/** Without a viewBox a browser would cut the drawing to the place that shows it. @throws UnusableSvgError */
function withViewBox(root: Element): Element {
  const attribute = (wanted: string) => root.attrs.find(({ name }) => name === wanted)?.value;
  if (attribute("viewBox") !== undefined) return root;
  const [width, height] = ["width", "height"].map((side) =>
    Number(/^\s*(\d{1,5}(?:\.\d+)?)(?:px)?\s*$/.exec(attribute(side) ?? "")?.[1] ?? 0),
  );
  if (!width || !height) return refuse(NO_SIZE);
  root.attrs.push({ name: "viewBox", value: `0 0 ${width} ${height}` });
  return root;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const toXml = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

/** The element as XML. */
function write(element: Element, { isRoot }: { isRoot: boolean }): string {
  // `href` and `xlink:href` have the same name now.
  const values = new Map(
    element.attrs.flatMap(({ name, prefix, value }) => (isWritten(name, prefix) ? [[name, value]] : [])),
  );
  if (isRoot) values.set("xmlns", html.NS.SVG);
  const attributes = [...values].map(([name, value]) => ` ${name}="${toXml(value)}"`);
  const content = element.childNodes
    .map((child) => {
      if (isElement(child)) return isOfEditor(child) ? "" : write(child, { isRoot: false });
      return child.nodeName === "#text" && "value" in child ? toXml(child.value) : "";
    })
    .join("");
  const name = DRAWN.get(element.tagName.toLowerCase()) ?? "g";
  return `<${name}${attributes.join("")}>${content}</${name}>`;
}

/** Names of editors have a prefix. `xlink:href` is written as `href`, which all browsers know. */
const isWritten = (name: string, prefix: string | undefined): boolean =>
  XML_NAME.test(name) && name !== "xmlns" && (!prefix || (prefix === "xlink" && name === "href"));
