import { useOptimistic } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

function Optimistic() {
  const [value, setValue] = useOptimistic("saved");
  setValue("sent");
  return <p>{value}</p>;
}

test("an optimistic value is not shown in the place of the real one", () => {
  expect(renderToStaticMarkup(<Optimistic />)).toBe("<p>saved</p>");
});

test("React's property for differing texts is no attribute of an element", () => {
  expect(renderToStaticMarkup(<p suppressHydrationWarning>₹149</p>)).toBe("<p>₹149</p>");
});
