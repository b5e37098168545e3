import Trash2 from "lucide-react/icons/trash-2";
import { useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/forms/text-field.tsx";
import { IconButton } from "../../../ui/icon-button.tsx";
import type { FieldErrors, ServerDraft } from "./tool-form-values.ts";

const FIELD = "servers";

/** The servers on the page of a tool. A tool always keeps one. */
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
      <legend className="px-1 font-medium text-sm">Servers</legend>
      <p className="text-muted text-xs">
        What buyers find on the tool’s page. Each server has its own access code.
        {servers.length === 0 ? " Without any, the tool gets one: “Server 1”." : null}
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
