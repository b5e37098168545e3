/** What a tool says about the credential that its page offers. */
export interface CredentialChoice {
  /** The tool's own credential. */
  credentialId: string | null;
  credentialService: string | null;
}

/** Whether a tool's page offers a credential. */
export function offersCredential({ credentialId, credentialService }: CredentialChoice): boolean {
  return credentialId !== null || credentialService !== null;
}
