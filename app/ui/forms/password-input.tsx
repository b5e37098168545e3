import { type ComponentProps, type Ref, useEffect, useId, useRef, useState } from "react";
import { t } from "../texts/texts.ts";
import { TextField } from "./text-field.tsx";

type PasswordInputProps = Omit<ComponentProps<typeof TextField>, "type" | "end" | "ref"> & {
  ref?: Ref<HTMLInputElement>;
};

/** A password field with a button to show it. Submitting hides it again, so that the browser recognises a password. */
export function PasswordInput({ ref, id, hint, ...field }: PasswordInputProps) {
  const ownId = useId();
  const inputId = id ?? ownId;
  const [isShown, setShown] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    const { form } = button.current ?? {};
    const hide = () => setShown(false);
    form?.addEventListener("submit", hide);
    return () => form?.removeEventListener("submit", hide);
  }, []);

  return (
    <TextField
      {...field}
      // An error takes the place of the hint.
      hint={field.errors?.length ? undefined : hint}
      ref={ref}
      id={inputId}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      end={
        <button
          ref={button}
          type="button"
          aria-controls={inputId}
          onClick={() => setShown(!isShown)}
          className="ml-auto min-h-10 min-w-16 self-stretch rounded-control px-3 font-medium text-muted text-sm underline-offset-4 hover:text-ink hover:underline"
        >
          {t(isShown ? "Hide" : "Show")}
        </button>
      }
    />
  );
}
