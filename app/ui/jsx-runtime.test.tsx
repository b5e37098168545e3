import { Children, Fragment, isValidElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { createElement } from "./jsx-runtime.ts";
import { tNodes } from "./texts/texts.ts";

const [tool, left, none] = ["Canva", 3, null];
const Frame = ({ children }: { children: ReactNode }) => (
  <p>
    <i />
    {children}
  </p>
);

const MARKUP: readonly [what: string, show: () => ReactNode, markup: string][] = [
  ["texts become one", () => <p>Open {tool}</p>, "<p>Open Canva</p>"],
  ["an array of texts becomes one", () => <p>{[tool, " ", left]}</p>, "<p>Canva 3</p>"],
  ["a number is a text", () => <b>{left}</b>, "<b>3</b>"],
  [
    "texts beside an element",
    () => (
      <p>
        Open {tool} <b>now</b>
      </p>
    ),
    "<p><span>Open Canva </span><b>now</b></p>",
  ],
  [
    "texts beside what may become an element",
    () => (
      <p>
        {none}
        {left} left
      </p>
    ),
    "<p><span>3 left</span></p>",
  ],
  [
    "texts of a message",
    () => <p>{tNodes("Open {tool}", { tool: <b key="tool">Canva</b> })}</p>,
    "<p><span>Open </span><b>Canva</b></p>",
  ],
  ["a text in a component", () => <Frame>{tool}</Frame>, "<p><i></i><span>Canva</span></p>"],
  ["texts in a component", () => <Frame>{left} left</Frame>, "<p><i></i><span>3 left</span></p>"],
  ["a text in a fragment", () => <Fragment key="name">{tool}</Fragment>, "<span>Canva</span>"],
  [
    "texts where no element can be",
    () => (
      <option>
        {tool}
        {none}
      </option>
    ),
    "<option>Canva</option>",
  ],
  [
    "a key after a spread",
    () => createElement("p", { key: "p" }, tool, <b />),
    "<p><span>Canva</span><b></b></p>",
  ],
  ["texts and a key after a spread", () => createElement("p", { key: "p" }, tool, left), "<p>Canva3</p>"],
];

test.each(MARKUP)("a text is all that its element contains: %s", (_, show, markup) => {
  expect(renderToStaticMarkup(show())).toBe(markup);
});

test("an element keeps its place among texts, and a changed text has an element of its own", () => {
  const placesIn = (name: string | null) => {
    const { children } = (
      <p>
        {name}
        {name === null ? null : "!"}
        <b />
      </p>
    ).props;
    return Children.map(children, (child) => (isValidElement(child) ? [child.type, child.key] : child));
  };
  expect(placesIn("Canva")?.at(-1)).toEqual(placesIn(null)?.at(-1));
  expect(placesIn("Canva")).not.toEqual(placesIn("Claude"));
});
