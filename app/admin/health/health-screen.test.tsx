import { renderToStaticMarkup } from "react-dom/server";
import { createRoutesStub } from "react-router";
import { expect, test } from "vitest";
import type { ShopHealth } from "#core/health/read-health.server.ts";
import { AdminFeedback } from "../dashboard/admin-feedback.tsx";
import { HealthScreen } from "./route.tsx";

const report = { checkedAt: new Date("2026-11-21T09:59:00Z"), lines: [] };

/** The text of the whole screen, and of its button; null: it has none. */
function render(health: Partial<ShopHealth>) {
  const Screen = () => (
    <AdminFeedback>
      <HealthScreen report={null} isRunning={false} hasFailed={false} ownAddress={null} {...health} />
    </AdminFeedback>
  );
  const Stub = createRoutesStub([{ id: "shop-frame", path: "/", Component: Screen }]);
  const html = renderToStaticMarkup(
    <Stub hydrationData={{ loaderData: { "shop-frame": { timeZone: "Asia/Kolkata" } } }} />,
  );
  const textOf = (part: string) => part.replaceAll(/<[^>]+>/g, "");
  const [, button = null] = /<button[^>]*>(.*?)<\/button>/.exec(html) ?? [];
  return { text: textOf(html), button: button === null ? null : textOf(button) };
}

test("the health screen says that it is checking before the first report, and has no button", () => {
  const { text, button } = render({ isRunning: true });
  expect(text).toContain("Checking your shop…");
  expect(button).toBeNull();
});

test("the health screen says so when the first run has failed, and has a button to try again", () => {
  const { text, button } = render({ hasFailed: true });
  expect(text).toContain("The checks could not be run");
  expect(text).toContain("The log of the shop says why.");
  expect(text).not.toContain("Checking");
  expect(button).toBe("Try Again");
});

test("the health screen says that it is checking while it tries again", () => {
  const { text, button } = render({ hasFailed: true, isRunning: true });
  expect(text).toContain("Checking your shop…");
  expect(text).not.toContain("could not be run");
  expect(button).toBe("Checking…");
});

test("the report of the health screen stays when a later run fails, with a sentence that says so", () => {
  const { text, button } = render({ report, hasFailed: true });
  expect(text).toContain("Everything is fine");
  expect(text).toContain("The checks could not be run again.");
  expect(button).toBe("Check Again");
});
