/** The views of the sign-in modal. */
export type SignInView = "chooser" | "signin" | "signup" | "reset-password";

/** What the modal shows; null while it is closed. */
export type SignInState = SignInView | null;

export type SignInEvent =
  | { type: "open"; view: SignInView }
  | { type: "close" }
  | { type: "choose-email" }
  | { type: "choose-create" }
  | { type: "forgot-password" }
  | { type: "back" }
  | { type: "signed-in" };

type Moves = Partial<Record<SignInEvent["type"], SignInState>>;

const LEAVE = { close: null, "signed-in": null } as const;

const MOVES: Record<SignInView, Moves> = {
  chooser: {
    ...LEAVE,
    "choose-email": "signin",
    "choose-create": "signup",
    "forgot-password": "reset-password",
  },
  signin: { ...LEAVE, "choose-create": "signup", "forgot-password": "reset-password", back: "chooser" },
  signup: { ...LEAVE, back: "chooser" },
  "reset-password": { ...LEAVE, back: "chooser" },
};

/** What the modal shows after `event`. An event that has no meaning in a view changes nothing. */
export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  if (event.type === "open") return event.view;
  if (state === null) return null;
  const next = MOVES[state][event.type];
  return next === undefined ? state : next;
}
