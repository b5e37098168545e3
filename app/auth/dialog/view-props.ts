import type { FormEvent, RefObject } from "react";
import type { SignInEvent } from "./sign-in-machine.ts";
import { valuesOf } from "../forms/use-auth-form.ts";

/** What was typed into the modal so far, in whichever view. */
export interface Draft {
  email: string;
  password: string;
}

export const EMPTY_DRAFT: Draft = { email: "", password: "" };

/** What every view of the modal is given. */
export interface ViewProps {
  dispatch: (event: SignInEvent) => void;
  draft: Draft;
  keep: (change: (draft: Draft) => Draft) => void;
  /** Goes to the control that has the focus when the view opens. */
  first: RefObject<HTMLElement | null>;
}

/** Keeps what a view's form holds, as it is typed. */
export function keepTyped(keep: ViewProps["keep"], names: readonly (keyof Draft)[]) {
  return (event: FormEvent<HTMLFormElement>) => {
    const typed = valuesOf(new FormData(event.currentTarget), names);
    keep((draft) => ({ ...draft, ...typed }));
  };
}
