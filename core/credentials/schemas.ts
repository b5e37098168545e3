import { z } from "zod";
import { checkbox, rowId, shownVersion } from "../form-fields.ts";
import { SERVICES } from "../vault/services.ts";

const PASSWORD_LENGTH = 500;
const EMAIL_LENGTH = 254;
const PASSWORD_MISSING = "Enter the password.";

const fields = {
  service: z.enum(SERVICES, { error: "Choose a service." }),
  email: z
    .string({ error: "Enter the email." })
    .trim()
    .min(1, "Enter the email.")
    .max(EMAIL_LENGTH, `At most ${EMAIL_LENGTH} characters.`)
    .pipe(z.email("Please enter a valid email address.")),
  isActive: checkbox,
};

/** Outer spaces belong to a password. */
const password = z
  .string({ error: PASSWORD_MISSING })
  .max(PASSWORD_LENGTH, `At most ${PASSWORD_LENGTH} characters.`);

export const createCredentialSchema = z.object({ ...fields, password: password.min(1, PASSWORD_MISSING) });

export const ensureCredentialSchema = createCredentialSchema.omit({ isActive: true });

export const updateCredentialSchema = z.object({
  ...fields,
  id: rowId(),
  version: shownVersion,
  /** Empty: the password stays as it is. */
  password: password.optional().transform((text) => text || null),
});

export const credentialIdSchema = z.object({ id: rowId() });
