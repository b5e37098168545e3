import { expect, test } from "vitest";
import { nextSignInState, type SignInEvent, type SignInState, type SignInView } from "./sign-in-machine.ts";

const views: SignInView[] = ["chooser", "signin", "signup", "reset-password"];
const events = ["close", "choose-email", "choose-create", "forgot-password", "back", "signed-in"] as const;

// One row a state, one column an event, in the order above; a dot means: stays.
const table: [SignInState, ...(SignInState | ".")[]][] = [
  [null, ".", ".", ".", ".", ".", "."],
  ["chooser", null, "signin", "signup", "reset-password", ".", null],
  ["signin", null, ".", "signup", "reset-password", "chooser", null],
  ["signup", null, ".", ".", ".", "chooser", null],
  ["reset-password", null, ".", ".", ".", "chooser", null],
];

const moves = table.flatMap(([state, ...row]) =>
  events.map((type, at): [SignInState, SignInEvent["type"], SignInState] => {
    const cell = row[at];
    return [state, type, cell === "." || cell === undefined ? state : cell];
  }),
);

test.each(moves)("%s, %s → %s", (state, type, expected) => {
  if (type === "open") throw new Error("opening has a test of its own");
  expect(nextSignInState(state, { type })).toBe(expected);
});

test.each([null, ...views])("from %s every view can be opened directly", (state) => {
  for (const view of views) expect(nextSignInState(state, { type: "open", view })).toBe(view);
});
