import { z } from "zod";
import { EMAIL_MAXIMUM } from "../accounts/rules.ts";
import { SERVICE_LENGTH, SERVICES } from "../catalog/limits.ts";
import { checkbox, optionalText, rowId, shownVersion } from "../form-fields.ts";
import { cleanText, EMAIL_PATTERN, signInAddress } from "../typed-text.ts";

const PASSWORD_LENGTH = 500;
const PASSWORD_MISSING = "Enter the password.";

const email = z
  .string({ error: "Enter the email." })
  .overwrite(cleanText)
  .min(1, "Enter the email.")
  .max(EMAIL_MAXIMUM, `At most ${EMAIL_MAXIMUM} characters.`);

/** For an address that is new. */
export const newEmail = email
  .overwrite(signInAddress)
  .pipe(z.email({ pattern: EMAIL_PATTERN, error: "Please enter a valid email address." }));

const fields = {
  service: z.enum(SERVICES, { error: "Choose a service." }),
  /** The name of the service when `service` is 'Other'. */
  otherService: optionalText(SERVICE_LENGTH).optional(),
  email: newEmail,
  isActive: checkbox,
};

/** Outer spaces belong to a password. */
const password = z
  .string({ error: PASSWORD_MISSING })
  .max(PASSWORD_LENGTH, `At most ${PASSWORD_LENGTH} characters.`);

interface NamedService {
  service: (typeof SERVICES)[number];
  otherService?: string | null | undefined;
}

const findListed = (name: string | null | undefined) =>
  SERVICES.find((listed) => listed.toLowerCase() === name?.toLowerCase());

const isNamed = ({ service, otherService }: NamedService) =>
  service !== "Other" || (Boolean(otherService) && findListed(otherService) !== "Other");

const NAME_MISSING = {
  path: ["otherService"],
  error: "Enter the name of the service.",
  // Together with what is wrong with the other fields.
  when: () => true,
};

/** Makes the stored name of the service of both fields. A name of the list is stored as the list has it. */
function nameService<Fields extends NamedService>({ service, otherService, ...rest }: Fields) {
  const typed = findListed(otherService) ?? otherService ?? "";
  return { ...rest, service: service === "Other" ? typed : service };
}

const newCredential = z.object({ ...fields, password: password.min(1, PASSWORD_MISSING) });

export const createCredentialSchema = newCredential.refine(isNamed, NAME_MISSING).transform(nameService);

export const ensureCredentialSchema = newCredential
  .omit({ isActive: true })
  .refine(isNamed, NAME_MISSING)
  .transform(nameService);

const changedCredential = z.object({
  ...fields,
  /** No address only when it stays, which the operation checks: the import of an old shop keeps names of users too. */
  email,
  id: rowId(),
  version: shownVersion,
  /** Empty: the password stays as it is. */
  password: password.optional().transform((text) => text || null),
});

export const updateCredentialSchema = changedCredential.refine(isNamed, NAME_MISSING).transform(nameService);

export const credentialIdSchema = z.object({ id: rowId() });
