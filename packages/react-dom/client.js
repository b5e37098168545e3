import { createElement, hydrate, render, Suspense, unmountComponentAtNode } from "preact/compat";

export { createRoot } from "preact/compat/client";

/** Takes over what the server has rendered. The container may be the whole document, and its root may suspend, as in React. */
export function hydrateRoot(container, children) {
  const parent = container.nodeType === Node.DOCUMENT_NODE ? containerOfHtml(container) : container;
  const renderRoot = (content) => createElement(Suspense, { fallback: null }, content);
  hydrate(renderRoot(children), parent);
  return {
    render: (content) => render(renderRoot(content), parent),
    unmount: () => unmountComponentAtNode(parent),
  };
}

/** Preact would look for `<html>` inside `<html>`. This container has it as its only child. */
function containerOfHtml(document) {
  return {
    nodeType: Node.ELEMENT_NODE,
    namespaceURI: document.documentElement.namespaceURI,
    ownerDocument: document,
    get firstChild() {
      return document.documentElement;
    },
    get childNodes() {
      return document.documentElement ? [document.documentElement] : [];
    },
    contains: (node) => document.contains(node),
    insertBefore: (node, next) => document.insertBefore(node, next),
    appendChild: (node) => document.appendChild(node),
    removeChild: (node) => document.removeChild(node),
  };
}
