import { renderToStaticMarkup } from "react-dom/server";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test } from "vitest";
import { LiveIndicator } from "./live-indicator.tsx";
import { useLive } from "./use-live.ts";

test.each([
  ["connecting", "Connecting…"],
  ["live", "Live"],
  ["reconnecting", "Reconnecting…"],
] as const)("the status %s of the stream is said in words, and politely", (status, text) => {
  const html = renderToStaticMarkup(<LiveIndicator status={status} />);
  expect(html).toMatch(/^<output aria-live="polite"/);
  expect(html.replaceAll(/<[^>]+>/g, "")).toBe(text);
});

function Page() {
  return <LiveIndicator status={useLive(["users"])} />;
}

test("a page on the server is connecting and opens nothing", () => {
  const router = createMemoryRouter([{ path: "/", element: <Page /> }]);
  expect(renderToStaticMarkup(<RouterProvider router={router} />)).toContain("Connecting…");
});
