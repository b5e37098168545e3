import Search from "lucide-react/icons/search";
import { useEffect, useRef, useState } from "react";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { useListAddress } from "./use-list-address.ts";

const TYPING_PAUSE_MS = 250;

/** The search of a list. It searches while one types, and without a script when one presses Enter. */
export function SearchBox({ placeholder }: { placeholder: string }) {
  const address = useListAddress();
  const current = address.get("q");
  const [text, setText] = useState(current);
  const searched = useRef(current);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A search after the pause must keep a filter that was chosen meanwhile.
  const latest = useRef(address);
  useEffect(() => {
    latest.current = address;
  });

  // The address changes by itself with the back button.
  useEffect(() => {
    if (current !== searched.current) setText(current);
    searched.current = current;
  }, [current]);
  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (q: string) => {
    clearTimeout(timer.current);
    searched.current = q;
    latest.current.set({ q });
  };
  return (
    <search className="min-w-[min(100%,16rem)] flex-1">
      <form
        method="get"
        onSubmit={(event) => {
          event.preventDefault();
          search(text.trim());
        }}
      >
        <TextField
          label={placeholder}
          labelHidden
          type="search"
          name="q"
          placeholder={placeholder}
          value={text}
          maxLength={100}
          autoComplete="off"
          start={<Search className="size-4" aria-hidden="true" />}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setText(value);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => search(value.trim()), TYPING_PAUSE_MS);
          }}
        />
      </form>
    </search>
  );
}

/** A filter of a list. The first option is the default and has the value "". */
export function ListFilter({
  name,
  label,
  options,
}: {
  name: string;
  label: string;
  options: readonly { value: string; label: string }[];
}) {
  const address = useListAddress();
  const [shown, setShown] = useShownAtOnce(address.get(name));
  return (
    <div className="min-w-[min(100%,9rem)] max-w-full sm:max-w-64">
      <SelectField
        label={label}
        labelHidden
        options={options}
        value={shown}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setShown(value);
          address.set({ [name]: value });
        }}
      />
    </div>
  );
}

/** A filter that is on or off; on is 1 in the address. */
export function ListCheck({ name, label }: { name: string; label: string }) {
  const address = useListAddress();
  const [shown, setShown] = useShownAtOnce(address.get(name));
  return (
    <CheckField
      label={label}
      checked={shown === "1"}
      onChange={(event) => {
        const value = event.currentTarget.checked ? "1" : "";
        setShown(value);
        address.set({ [name]: value });
      }}
    />
  );
}

/** What a control shows: its new value at once, although the address changes only when the list has been loaded. */
export function useShownAtOnce(current: string) {
  const [shown, setShown] = useState(current);
  useEffect(() => setShown(current), [current]);
  return [shown, setShown] as const;
}
