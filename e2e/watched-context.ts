import type { BrowserContext, ConsoleMessage } from "@playwright/test";

/** A refusal the shop is meant to give shows in the console as well; a missing file of the page itself is a fault. */
const REFUSED_REQUEST = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects what a visitor must never cause: script errors, console errors, blocked content, server errors. */
export function watchFaults(context: BrowserContext, faults: string[]): void {
  context.on("console", (message) => {
    if (isFault(message)) faults.push(`console: ${message.text()} (${message.location().url})`);
  });
  context.on("weberror", (problem) => {
    faults.push(`script: ${problem.error().stack ?? problem.error().message}`);
  });
  context.on("response", (response) => {
    if (response.status() >= 500) faults.push(`${response.status()} from ${response.url()}`);
  });
}

function isFault(message: ConsoleMessage): boolean {
  if (message.type() !== "error" && message.type() !== "warning") return false;
  const asset = message.location().url.includes("/assets/");
  return asset || !REFUSED_REQUEST.test(message.text());
}
