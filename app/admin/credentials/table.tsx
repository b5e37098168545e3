import Eye from "lucide-react/icons/eye";
import EyeOff from "lucide-react/icons/eye-off";
import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import type { ListedCredential } from "#core/credentials/manage-credentials.server.ts";
import { ActiveBadge } from "../../ui/badge.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { AdminDate, type ListColumn, sortable } from "../lists/list-table.tsx";
import { RowAction, RowActions } from "../lists/row-actions.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";

export function columnsOf(options: {
  address: ListAddress;
  passwords: RevealedPasswords;
  onEdit: (credential: ListedCredential) => void;
  onDelete: (credential: ListedCredential) => void;
}): ListColumn<ListedCredential>[] {
  const { address, passwords, onEdit, onDelete } = options;
  return [
    {
      id: "service",
      ...sortable(address, { sort: "service", label: "Service", first: "asc" }),
      phone: "first",
      cell: ({ service }) => <span className="wrap-anywhere font-semibold">{service}</span>,
    },
    {
      id: "email",
      ...sortable(address, { sort: "email", label: "Email", first: "asc" }),
      phone: "second",
      cell: ({ email }) => <span className="break-all">{email}</span>,
    },
    {
      id: "password",
      header: "Password",
      phone: "more",
      cell: (credential) => (
        <span
          className={classNames(
            "break-all font-mono",
            passwords.of(credential) === undefined && "max-[720px]:hidden",
          )}
        >
          {passwords.of(credential) ?? credential.passwordMasked}
        </span>
      ),
    },
    {
      id: "status",
      header: "Status",
      phone: "first-end",
      cell: ({ isActive }) => <ActiveBadge isActive={isActive} />,
    },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Created At", isDefault: true }),
      cell: ({ createdAt }) => <AdminDate date={createdAt} />,
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      className: "min-[720px]:w-px",
      cell: (credential) => (
        <CredentialActions
          credential={credential}
          passwords={passwords}
          onEdit={() => onEdit(credential)}
          onDelete={() => onDelete(credential)}
        />
      ),
    },
  ];
}

const revealedSchema = z.object({ password: z.string() });

interface CredentialActionsProps {
  credential: ListedCredential;
  passwords: RevealedPasswords;
  onEdit: () => void;
  onDelete: () => void;
}

/** Show Password shows it in the row for a minute. */
function CredentialActions({ credential, passwords, onEdit, onDelete }: CredentialActionsProps) {
  const { id, service, email } = credential;
  const reveal = useAdminAction({
    onDone: (value) => passwords.show(credential, revealedSchema.parse(value).password),
  });
  const isShown = passwords.of(credential) !== undefined;
  return (
    <RowActions name={`${service}, ${email}`} onEdit={onEdit} onDelete={onDelete}>
      <RowAction
        label={isShown ? "Hide Password" : "Show Password"}
        icon={isShown ? EyeOff : Eye}
        target={`${service}, ${email}`}
        onClick={() => (isShown ? passwords.hide(credential) : reveal.run("reveal", { id }))}
      />
    </RowActions>
  );
}

/** A revealed password is hidden again after this time. */
const REVEALED_MS = 60_000;

interface Row {
  id: string;
  version: number;
}

interface RevealedPasswords {
  /** undefined: hidden. A password of an older version of the row is not shown. */
  of(row: Row): string | undefined;
  show(row: Row, password: string): void;
  hide(row: Row): void;
}

/** The passwords that are shown at the moment. They are kept in this page only. */
export function useRevealedPasswords(): RevealedPasswords {
  const [shown, setShown] = useState<ReadonlyMap<string, string>>(new Map());
  const timers = useRef(new Map<string, ReturnType<typeof setTimeout>>());

  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running.values()) clearTimeout(timer);
    };
  }, []);

  const keyOf = ({ id, version }: Row) => `${id} ${version}`;
  const hide = (row: Row) => {
    const key = keyOf(row);
    clearTimeout(timers.current.get(key));
    timers.current.delete(key);
    setShown((before) => new Map([...before].filter(([other]) => other !== key)));
  };
  return {
    of: (row) => shown.get(keyOf(row)),
    show: (row, password) => {
      const key = keyOf(row);
      setShown((before) => new Map(before).set(key, password));
      clearTimeout(timers.current.get(key));
      timers.current.set(
        key,
        setTimeout(() => hide(row), REVEALED_MS),
      );
    },
    hide,
  };
}
