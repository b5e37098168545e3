import * as z from "zod/mini";
import { parseMessage } from "#contracts/parse-message.ts";

/** The part of `browser.storage.local` that the extension uses. */
export interface StorageArea {
  get(key: string): Promise<Record<string, unknown>>;
  set(values: Record<string, unknown>): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * The random id of this installation, the token that the shop gave it, whether the shop refused to give it one, and which
 * session is the last. No access code is stored.
 */
export interface DeviceStore {
  /** @param remembered by the shop's page, from an earlier installation; used when this one has no id yet */
  readInstallationId(remembered?: string): Promise<string>;
  /** null: this browser is not connected. */
  readToken(): Promise<string | null>;
  /** Also ends the mark of the limit. */
  writeToken(token: string): Promise<void>;
  removeToken(): Promise<void>;
  /** How many browsers the account may use, when the last attempt to connect was refused for it; else null. */
  readReachedLimit(): Promise<number | null>;
  markLimitReached(limit: number): Promise<void>;
  /** The session of the last Click, and when that was; null before the first one. */
  readLastSession(): Promise<{ id: string; at: number } | null>;
  writeLastSession(session: { id: string; at: number }): Promise<void>;
}

const INSTALLATION_ID = "installationId";
const TOKEN = "deviceToken";
const LIMIT_REACHED = "limitReached";
const LAST_SESSION = "lastSession";
const lastSessionSchema = z.object({ id: z.uuid(), at: z.number() });

export function createDeviceStore(area: StorageArea): DeviceStore {
  const read = async (key: string): Promise<string | null> => {
    const value = (await area.get(key))[key];
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    async readInstallationId(remembered) {
      const stored = await read(INSTALLATION_ID);
      if (stored !== null) return stored;
      const made = remembered ?? crypto.randomUUID();
      await area.set({ [INSTALLATION_ID]: made });
      return made;
    },
    readToken: () => read(TOKEN),
    writeToken: (token) => area.set({ [TOKEN]: token, [LIMIT_REACHED]: null }),
    removeToken: () => area.remove(TOKEN),
    async readReachedLimit() {
      const limit = (await area.get(LIMIT_REACHED))[LIMIT_REACHED];
      return typeof limit === "number" ? limit : null;
    },
    readLastSession: async () =>
      parseMessage(lastSessionSchema, (await area.get(LAST_SESSION))[LAST_SESSION]),
    writeLastSession: (session) => area.set({ [LAST_SESSION]: session }),
    markLimitReached: (limit) => area.set({ [LIMIT_REACHED]: limit }),
  };
}
