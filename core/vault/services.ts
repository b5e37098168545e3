/** The services that a shared credential can be for. */
export const SERVICES = ["Stealth Writer", "QuillBot", "Write Human", "Other"] as const;
