import { type RefObject, useRef, useState } from "react";
import { findCredentialToKeep } from "#core/catalog/kept-credentials.ts";
import { SERVICES } from "#core/catalog/limits.ts";
import type {
  CredentialToChoose,
  ListedCredential,
  ToolByService,
} from "#core/credentials/manage-credentials.server.ts";
import { createCredentialSchema, updateCredentialSchema } from "#core/credentials/schemas.ts";
import { Banner } from "../../ui/banner.tsx";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { checkProps, FormFrame, fieldProps, newerOf, useAdminForm } from "../forms/admin-form.tsx";

const SERVICE_OPTIONS = [
  { value: "", label: "Select a service" },
  ...SERVICES.map((service) => ({ value: service, label: service })),
];

/** What tells which tools keep their sign-in when a credential is added or changed. */
export interface CredentialUse {
  all: readonly CredentialToChoose[];
  tools: readonly ToolByService[];
}

interface CredentialDialogProps {
  /** With no credential the form adds one. */
  form: Opened<ListedCredential>;
  use: CredentialUse;
}

/** The dialog that adds or changes a credential. */
export function CredentialDialog({ form, use }: CredentialDialogProps) {
  const { isOpen, value: credential, current, key, open, close } = form;
  const firstField = useRef<HTMLSelectElement>(null);
  return (
    <AdminDialog
      open={isOpen}
      initialFocus={firstField}
      holdsForm
      onClose={close}
      title={credential === null ? "Add Credential" : "Edit Credential"}
    >
      <CredentialForm
        key={key}
        credential={credential}
        use={use}
        theirs={newerOf(credential, current)}
        onShowTheirs={open}
        firstField={firstField}
        onClose={close}
      />
    </AdminDialog>
  );
}

interface CredentialFormProps {
  credential: ListedCredential | null;
  use: CredentialUse;
  /** The credential as somebody else has changed it since; null when nobody has. */
  theirs: ListedCredential | null;
  onShowTheirs: (theirs: ListedCredential) => void;
  firstField: RefObject<HTMLSelectElement | null>;
  onClose: () => void;
}

/** What the two fields show of a stored service. */
function chooseService(stored: string) {
  const isListed = stored === "" || SERVICES.some((listed) => listed === stored);
  return isListed ? { service: stored, otherService: "" } : { service: "Other", otherService: stored };
}

function CredentialForm(props: CredentialFormProps) {
  const { credential, use, theirs, onShowTheirs, firstField, onClose } = props;
  const isNew = credential === null;
  const stored = chooseService(credential?.service ?? "");
  const [service, setService] = useState(stored.service);
  const [otherService, setOtherService] = useState(stored.otherService);
  const [isActive, setActive] = useState(credential?.isActive ?? true);
  const { form, fields, busy, isOutdated } = useAdminForm({
    id: "credential",
    intent: isNew ? "create" : "update",
    schema: isNew ? createCredentialSchema : updateCredentialSchema,
    defaultValue: {
      ...stored,
      email: credential?.email ?? "",
      isActive: credential?.isActive ?? true,
    },
    isOutdated: theirs !== null,
    onDone: onClose,
  });
  return (
    <FormFrame
      form={form}
      busy={busy}
      submitLabel={isNew ? "Create Credential" : "Update Credential"}
      busyLabel={isNew ? "Creating..." : "Updating..."}
      outdated={{ isOutdated, onShowTheirs: theirs === null ? null : () => onShowTheirs(theirs) }}
    >
      {credential === null ? null : (
        <>
          <input type="hidden" name="id" value={credential.id} />
          <input type="hidden" name="version" value={credential.version} />
        </>
      )}
      <SelectField
        ref={firstField}
        label="Service Name"
        {...fieldProps(fields.service)}
        options={SERVICE_OPTIONS}
        onChange={({ currentTarget }) => setService(currentTarget.value)}
        required
      />
      {service === "Other" ? (
        <TextField
          label="Service"
          {...fieldProps(fields.otherService)}
          onChange={({ currentTarget }) => setOtherService(currentTarget.value)}
          hint="The service’s name, such as Canva. Tools find the credential by this name, or you choose it in the tool’s form."
          autoComplete="off"
          required
        />
      ) : null}
      <TextField
        label="Email"
        {...fieldProps(fields.email)}
        type="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <PasswordInput
        label="Password"
        {...fieldProps(fields.password)}
        // Otherwise the browser offers the admin's own password.
        autoComplete="new-password"
        hint={isNew ? undefined : "Leave it empty to keep the present password."}
        required={isNew}
      />
      <CheckField
        label="Active"
        {...checkProps(fields.isActive)}
        onChange={({ currentTarget }) => setActive(currentTarget.checked)}
      />
      <KeptCredentials
        use={use}
        changed={{
          id: credential?.id ?? "",
          service: service === "Other" ? otherService : service,
          email: credential?.email ?? "",
          isActive,
        }}
      />
    </FormFrame>
  );
}

/** The tools that keep the sign-in that they give now, although the credential of the form fits too. */
function KeptCredentials({
  use: { all, tools },
  changed,
}: {
  use: CredentialUse;
  changed: CredentialToChoose;
}) {
  const isNew = !all.some(({ id }) => id === changed.id);
  const after = [...all.map((one) => (one.id === changed.id ? changed : one)), ...(isNew ? [changed] : [])];
  const kept = tools.flatMap((tool) => {
    const credential = findCredentialToKeep(tool, all, after);
    return credential === null ? [] : [{ ...tool, email: credential.email }];
  });
  return (
    <div role="status" className="text-sm empty:hidden">
      {kept.length === 0 ? null : (
        <Banner tone="info">
          {kept.map(({ id, name, email }) => (
            <p key={id} className="wrap-anywhere">
              {`${name} keeps the sign-in ${email}.`}
            </p>
          ))}
          <p>
            To give its buyers this one, choose it afterwards under Tools, Edit, More settings, Credential.
          </p>
        </Banner>
      )}
    </div>
  );
}
