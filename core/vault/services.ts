/** The services that the form of a shared credential lists. With 'Other' the admin types the name. */
export const SERVICES = ["Stealth Writer", "QuillBot", "Write Human", "Other"] as const;

/** The longest name of a service. */
export const SERVICE_LENGTH = 100;
