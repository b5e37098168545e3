import type { FormEvent, RefObject } from "react";
import { readValues } from "../forms/use-auth-form.ts";
import type { SignInEvent } from "./sign-in-machine.ts";

/** What was typed into the dialog so far; all its views share it. */
export interface Draft {
  email: string;
  password: string;
}

export const EMPTY_DRAFT: Draft = { email: "", password: "" };

/** The props of every view of the dialog. */
export interface ViewProps {
  dispatch: (event: SignInEvent) => void;
  draft: Draft;
  updateDraft: (update: (draft: Draft) => Draft) => void;
  /** Called when the shop or Google has refused something. */
  onFailure: () => void;
  /** Receives the control that gets the focus when the view opens. */
  initialFocusRef: RefObject<HTMLElement | null>;
}

/** The form's input handler: saves the named fields in the draft. */
export function saveDraft(updateDraft: ViewProps["updateDraft"], names: readonly (keyof Draft)[]) {
  return (event: FormEvent<HTMLFormElement>) => {
    const typed = readValues(new FormData(event.currentTarget), names);
    updateDraft((draft) => ({ ...draft, ...typed }));
  };
}
