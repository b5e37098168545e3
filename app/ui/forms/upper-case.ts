import type { ChangeEvent, CompositionEvent } from "react";

/** The props of a field that turns what is typed into upper case. @param edit gets the text of the field after each change */
export const upperCaseProps = (edit?: (text: string) => void) => ({
  autoCapitalize: "characters",
  spellCheck: false,
  onChange: ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    // A field that changes during an IME composition loses the composed text.
    if (!(nativeEvent instanceof InputEvent && nativeEvent.isComposing)) upperCase(currentTarget);
    edit?.(currentTarget.value);
  },
  onCompositionEnd: ({ currentTarget }: CompositionEvent<HTMLInputElement>) => {
    upperCase(currentTarget);
    edit?.(currentTarget.value);
  },
});

/** Changes the field directly, which keeps the position of the caret. */
function upperCase(input: HTMLInputElement): void {
  const { selectionStart, selectionEnd } = input;
  const text = input.value.toUpperCase();
  if (text === input.value) return;
  input.value = text;
  input.setSelectionRange(selectionStart, selectionEnd);
}
