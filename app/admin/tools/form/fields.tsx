import ChevronDown from "lucide-react/icons/chevron-down";
import Trash2 from "lucide-react/icons/trash-2";
import X from "lucide-react/icons/x";
import { type ComponentProps, type ReactNode, useRef, useState } from "react";
import { Button } from "#app/ui/button.tsx";
import { TextField } from "#app/ui/forms/text-field.tsx";
import { IconButton } from "#app/ui/icon-button.tsx";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import type { FieldErrors, ServerDraft, ToolFormValues } from "./tool-form-values.ts";

/** What a text field of the tool's form needs. */
export function textProps(
  name: keyof typeof TOOL_FIELDS & keyof Omit<ToolFormValues, "translations">,
  values: ToolFormValues,
  errors: FieldErrors,
) {
  return {
    label: TOOL_FIELDS[name].label,
    name,
    defaultValue: String(values[name]),
    errors: errors.at(name),
  };
}

interface FormFoldProps {
  title: string;
  /** Whether a field in it is wrong: it then opens by itself. */
  hasErrors: boolean;
  onOpen?: () => void;
  children: ReactNode;
}

/** A part of a form that is folded up at first. Its fields are sent in any case. */
export function FormFold({ title, hasErrors, onOpen, children }: FormFoldProps) {
  const [isOpen, setOpen] = useState(false);
  const [hadErrors, setHadErrors] = useState(false);
  // In the same rendering as the error, so that the field can take the focus.
  if (hasErrors !== hadErrors) {
    setHadErrors(hasErrors);
    if (hasErrors) setOpen(true);
  }
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
        if (event.currentTarget.open) onOpen?.();
      }}
      className="group border-line border-t pt-1"
    >
      <summary className="flex min-h-11 list-none items-center gap-2 rounded-control font-medium text-sm [&::-webkit-details-marker]:hidden">
        <ChevronDown
          className="size-4 text-muted transition-transform duration-150 group-open:rotate-180"
          aria-hidden="true"
        />
        <span>{title}</span>
      </summary>
      <div className="flex flex-col gap-4 pt-2">{children}</div>
    </details>
  );
}

/** A number. The mouse wheel scrolls the form and leaves the number as it is. */
export function NumberField(props: Omit<ComponentProps<typeof TextField>, "type" | "onWheel">) {
  return (
    <TextField
      inputMode="decimal"
      min={0}
      step={1}
      {...props}
      type="number"
      onWheel={(event) => event.currentTarget.blur()}
    />
  );
}

export function RupeesField(props: ComponentProps<typeof NumberField>) {
  return <NumberField step={0.01} {...props} start={<span aria-hidden="true">₹</span>} />;
}

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

interface ChipsProps {
  /** What the chips are, for screen readers. */
  label: string;
  items: readonly { value: string; text: string }[];
  onRemove: (value: string) => void;
  /** The field that the values are sent as: `name[0]`, `name[1]` and so on. */
  name: string;
}

/** Chosen values. Each can be removed. */
export function Chips({ label, items, onRemove, name }: ChipsProps) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={label} className="flex max-h-96 flex-wrap gap-2 overflow-y-auto">
      {items.map(({ value, text }, at) => (
        <li
          key={value}
          className="inline-flex min-h-9 max-w-full items-center rounded-full border border-line bg-paper pl-3 text-sm"
        >
          <span className="min-w-0 break-words">{text}</span>
          <input type="hidden" name={`${name}[${at}]`} value={value} />
          <button
            type="button"
            aria-label={`Remove ${text}`}
            title={`Remove ${text}`}
            onClick={() => onRemove(value)}
            className="inline-flex size-9 shrink-0 items-center justify-center rounded-full text-muted transition-colors duration-150 hover:bg-ink/5 hover:text-ink"
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

const FIELD = "servers";

/** The servers on the page of a tool. A tool that has one keeps one. */
export function ServersField({ initial, errors }: { initial: readonly ServerDraft[]; errors: FieldErrors }) {
  const [servers, setServers] = useState(() => initial.map((server, key) => ({ ...server, key })));
  const [addedKey, setAddedKey] = useState<number | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const remove = (key: number) => {
    setServers((known) => known.filter((server) => server.key !== key));
    // The focused button disappears.
    addButton.current?.focus();
  };
  const add = () => {
    const key = nextKey(servers);
    setServers([...servers, { id: null, name: `Server ${key + 1}`, url: "", key }]);
    setAddedKey(key);
  };
  return (
    <fieldset className="flex flex-col gap-3 rounded-control border border-line p-4">
      <legend className="px-1 font-medium text-sm">{TOOL_FIELDS.servers.label}</legend>
      <p className="text-muted text-xs">
        {`What buyers find on the tool’s page. Each server has its own access code.${servers.length === 0 ? " Without any, the tool gets one, “Server 1”, unless it has a credential: then the sign-in is all that buyers need." : ""}`}
      </p>
      {servers.map(({ id, name, url, key }, at) => (
        <div key={key} className="flex items-start gap-2">
          {id === null ? null : <input type="hidden" name={`${FIELD}[${at}].id`} value={id} />}
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-[2fr_3fr]">
            <TextField
              label={`Name of server ${at + 1}`}
              ref={key === addedKey ? selectName : undefined}
              labelHidden
              name={`${FIELD}[${at}].name`}
              defaultValue={name}
              placeholder="Name"
              autoComplete="off"
              errors={errors.at(`${FIELD}[${at}].name`)}
            />
            <TextField
              label={`Address of server ${at + 1}`}
              labelHidden
              name={`${FIELD}[${at}].url`}
              type="url"
              inputMode="url"
              defaultValue={url}
              placeholder="https:// (optional)"
              autoComplete="off"
              errors={errors.at(`${FIELD}[${at}].url`)}
            />
          </div>
          <IconButton
            label={
              isLastOfTool(initial, servers) ? "A tool needs at least one server" : `Remove server ${at + 1}`
            }
            disabled={isLastOfTool(initial, servers)}
            onClick={() => remove(key)}
          >
            <Trash2 className="size-4.5" aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <div>
        <Button size="small" ref={addButton} onClick={add}>
          Add Server
        </Button>
      </div>
    </fieldset>
  );
}

/** The name of an added server is typed next. */
const selectName = (input: HTMLInputElement | null) => {
  input?.focus();
  input?.select();
};

const nextKey = (servers: readonly { key: number }[]) => Math.max(-1, ...servers.map(({ key }) => key)) + 1;

/** A tool that has servers keeps them when the form sends none. */
const isLastOfTool = (initial: readonly unknown[], servers: readonly unknown[]) =>
  initial.length > 0 && servers.length === 1;
