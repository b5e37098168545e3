import { expect, test } from "vitest";
import { nextSignInState, type SignInEvent, type SignInState, type SignInView } from "./sign-in-machine.ts";

const views: SignInView[] = ["chooser", "signin", "signup", "reset-password"];
const events = ["close", "choose-email", "choose-create", "forgot-password", "back", "signed-in"] as const;

// One row per state and one column per event, in the order above. A dot means that the state does not change.
const table: [SignInState, ...(SignInState | ".")[]][] = [
  [null, ".", ".", ".", ".", ".", "."],
  ["chooser", null, "signin", "signup", "reset-password", ".", null],
  ["signin", null, ".", "signup", "reset-password", "chooser", null],
  ["signup", null, "signin", ".", ".", "chooser", null],
  ["reset-password", null, ".", ".", ".", "chooser", null],
];

const transitions = table.flatMap(([state, ...row]) =>
  events.map((type, at): [SignInState, SignInEvent["type"], SignInState] => {
    const cell = row[at];
    return [state, type, cell === "." || cell === undefined ? state : cell];
  }),
);

test.each(transitions)("the sign-in dialog in the view %s is led by %s to %s", (state, type, expected) => {
  if (type === "open") throw new Error("the event open is not part of the table");
  expect(nextSignInState(state, { type })).toBe(expected);
});

test.each([null, ...views])("the sign-in dialog can be opened in every view from %s", (state) => {
  for (const view of views) expect(nextSignInState(state, { type: "open", view })).toBe(view);
});
