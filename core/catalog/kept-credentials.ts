/** A credential, as far as the choice of one for a tool needs it. */
export interface CredentialOfService {
  id: string;
  service: string;
  isActive: boolean;
}

/** What a tool says about its credential. */
interface ChoosingTool {
  credentialId: string | null;
  credentialService: string | null;
}

const comparable = (service: string) => service.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** How well a credential fits the service that a tool names, as `matchCredential` says it: 1 is best; null: not at all. */
function rankOf(tool: ChoosingTool, credential: CredentialOfService): 1 | 2 | null {
  if (tool.credentialId !== null || !credential.isActive) return null;
  const wanted = comparable(tool.credentialService ?? "");
  const stored = comparable(credential.service);
  if (wanted === "" || stored === "" || !(stored.includes(wanted) || wanted.includes(stored))) return null;
  return stored === wanted ? 1 : 2;
}

/** The credentials that fit a tool best. Buyers get a single credential, and none of several. */
export function findBestFitting<Credential extends CredentialOfService>(
  tool: ChoosingTool,
  credentials: readonly Credential[],
): readonly Credential[] {
  const ranked = credentials.map((credential) => ({ credential, rank: rankOf(tool, credential) }));
  const best = ranked.some(({ rank }) => rank === 1) ? 1 : 2;
  return ranked.filter(({ rank }) => rank === best).map(({ credential }) => credential);
}

/**
 * The credential that a tool has to name as its own, so that a change of the credentials does not take from buyers the credential
 * that they get; null when they get it all the same, or got none. When a change adds several to a service without one, it is the
 * first of them.
 *
 * @param after the new ones last, in the order in which they are added
 */
export function findCredentialToKeep<Credential extends CredentialOfService>(
  tool: ChoosingTool,
  before: readonly Credential[],
  after: readonly Credential[],
): Credential | null {
  const [current, rival] = findBestFitting(tool, before);
  const best = findBestFitting(tool, after);
  const id = rival === undefined ? (current ?? best[0])?.id : undefined;
  const kept = after.find((credential) => credential.id === id);
  if (kept === undefined || rankOf(tool, kept) === null) return null;
  return best.length === 1 && best[0] === kept ? null : kept;
}
