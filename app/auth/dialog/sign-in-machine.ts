/** The views of the sign-in dialog. */
export type SignInView = "chooser" | "signin" | "signup" | "reset-password";

/** The view that is shown; null while the dialog is closed. */
export type SignInState = SignInView | null;

export type SignInEvent =
  | { type: "open"; view: SignInView }
  | { type: "close" }
  | { type: "choose-email" }
  | { type: "choose-create" }
  | { type: "forgot-password" }
  | { type: "back" }
  | { type: "signed-in" };

type Transitions = Partial<Record<SignInEvent["type"], SignInState>>;

const CLOSE = { close: null, "signed-in": null } as const;

const TRANSITIONS: Record<SignInView, Transitions> = {
  chooser: {
    ...CLOSE,
    "choose-email": "signin",
    "choose-create": "signup",
    "forgot-password": "reset-password",
  },
  signin: { ...CLOSE, "choose-create": "signup", "forgot-password": "reset-password", back: "chooser" },
  signup: { ...CLOSE, "choose-email": "signin", back: "chooser" },
  "reset-password": { ...CLOSE, back: "chooser" },
};

/** The state after `event`. An event without a transition in a state changes nothing. */
export function nextSignInState(state: SignInState, event: SignInEvent): SignInState {
  if (event.type === "open") return event.view;
  if (state === null) return null;
  const next = TRANSITIONS[state][event.type];
  return next === undefined ? state : next;
}
