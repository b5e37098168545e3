import type { ElementType, Key, ReactElement, ReactNode } from "react";
import { Fragment as ReactFragment, jsx as reactJsx, jsxs as reactJsxs } from "react/jsx-runtime";

/*
 * What the JSX of `app` compiles to (`vite.config.ts`): React's own functions, for pages that a browser translates.
 *
 * The translation replaces each text node by elements. React keeps the node of a text that stands beside something else: it writes a
 * new text into the node, which nobody sees any more, and fails when it inserts an element before the node or removes it. A text that is
 * all that an element contains it writes as the content of the element, whatever that is by now. So each text becomes one: texts beside
 * nothing but texts are joined, and a text beside anything else gets a `<span>`. A `<span>` is replaced when its text changes, so
 * that a translation of the text before, which arrives late, shows nothing.
 */

interface Props {
  children?: ReactNode;
}

export const Fragment = ReactFragment;

/** An element with one child, or none. */
export function jsx(type: ElementType, props: Props, key?: Key): ReactElement {
  return reactJsx(type, withTextsApart(type, props), key);
}

/** An element with several children. */
export function jsxs(type: ElementType, props: Props, key?: Key): ReactElement {
  const separated = withTextsApart(type, props);
  return (Array.isArray(separated.children) ? reactJsxs : reactJsx)(type, separated, key);
}

/** An element whose `key` follows a spread. */
export function createElement(
  type: ElementType,
  { key, ...props }: Props & { key?: Key },
  ...children: ReactNode[]
) {
  return children.length > 1
    ? jsxs(type, { ...props, children }, key)
    : jsx(type, { ...props, ...(children.length === 1 && { children: children[0] }) }, key);
}

/** Both, for the development server. */
export function jsxDEV(type: ElementType, props: Props, key?: Key, isStatic = false): ReactElement {
  return (isStatic ? jsxs : jsx)(type, props, key);
}

/** Elements in which there are no other elements. */
const TEXT_ONLY = /^(?:option|script|style|text|textarea|title|tspan)$/;

function withTextsApart(type: ElementType | symbol, props: Props): Props {
  const { children } = props;
  // What has no element of its own, such as a fragment, stands beside what is around it.
  if (typeof type === "symbol" && isText(children)) return { ...props, children: inSpan(String(children)) };
  if (!Array.isArray(children) || children.length === 0) return props;
  if (typeof type === "string" && TEXT_ONLY.test(type))
    return { ...props, children: children.filter(isText).join("") };
  if (typeof type !== "symbol" && children.every(isText)) return { ...props, children: children.join("") };
  return { ...props, children: textsApart(children) };
}

/** The places of the other children stay the same, because React finds them by their place. */
function textsApart(children: readonly ReactNode[]): ReactNode[] {
  let text = "";
  return children.map((child, at) => {
    if (Array.isArray(child)) return textsApart(child);
    if (!isText(child)) return child;
    text += child;
    if (isText(children[at + 1])) return null;
    const joined = text;
    text = "";
    return joined === "" ? null : inSpan(joined, at);
  });
}

function inSpan(text: string, at = 0): ReactElement {
  return reactJsx("span", { children: text }, `${at} ${text}`);
}

function isText(child: ReactNode): child is string | number {
  return typeof child === "string" || typeof child === "number";
}
