import { useOptimistic } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

function Optimistic() {
  const [value, setValue] = useOptimistic("saved");
  setValue("sent");
  return <p>{value}</p>;
}

test("`useOptimistic` returns the real value", () => {
  expect(renderToStaticMarkup(<Optimistic />)).toBe("<p>saved</p>");
});

test("`suppressHydrationWarning` is not rendered as an attribute", () => {
  expect(renderToStaticMarkup(<p suppressHydrationWarning>₹149</p>)).toBe("<p>₹149</p>");
});

test("a field whose spelling is not to be checked says so", () => {
  expect(renderToStaticMarkup(<input spellCheck={false} />)).toBe('<input spellCheck="false"/>');
});
