import { useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/forms/text-field.tsx";
import { Chips } from "./chips.tsx";

interface TextListFieldProps {
  label: string;
  name: string;
  initial: readonly string[];
  placeholder?: string;
  hint?: string;
  /** The accessible name of the button "Add", where a form has several. */
  addLabel?: string;
  errors?: readonly string[] | undefined;
}

/**
 * Texts that are added one at a time, by the button or Enter. Each is trimmed, and there once. A text that is typed and
 * not added yet is sent as the last one.
 */
export function TextListField(props: TextListFieldProps) {
  const { label, name, initial, placeholder, hint, addLabel, errors } = props;
  const [texts, setTexts] = useState(() => [...new Set(initial)]);
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLDivElement>(null);
  const focusInput = () => input.current?.querySelector("input")?.focus();
  const add = () => {
    const text = typed.trim();
    if (text !== "") setTexts((known) => (known.includes(text) ? known : [...known, text]));
    setTyped("");
    focusInput();
  };
  const remove = (text: string) => {
    setTexts((known) => known.filter((other) => other !== text));
    focusInput();
  };
  return (
    <div className="flex flex-col gap-2">
      <div ref={input}>
        <TextField
          label={label}
          name={`${name}[${texts.length}]`}
          value={typed}
          placeholder={placeholder}
          hint={hint}
          errors={errors}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
            event.preventDefault();
            add();
          }}
          end={
            <Button variant="quiet" size="small" onClick={add} aria-label={addLabel} className="ml-auto">
              Add
            </Button>
          }
        />
      </div>
      <Chips
        label={label}
        name={name}
        items={texts.map((text) => ({ value: text, text }))}
        onRemove={remove}
      />
    </div>
  );
}
