/** The first message of somebody who wants a pass that is sold in the chat. The owner reads it, in English. */
export const passInquiry = (toolName: string) => `Hello, I would like a pass for ${toolName}.`;

/** The first message of somebody who searched for a tool that the shop does not have. The owner reads it, in English. */
export const searchInquiry = (typed: string) => `Hello, do you have “${typed}”?`;

/** The first message of somebody who needs help. The owner reads it, in English. */
export const supportInquiry = (storeName: string) => `Hello ${storeName}, I need help.`;

/** The first message of somebody who needs help with something. The owner reads it, in English. */
export const helpInquiry = (about: string) => `Hello, I need help with ${about}.`;

/** The number of the chat in which tools are sold: the first one; null if there is none. */
export function chatNumberOf(store: { supportPhones: ReadonlyArray<{ number: string }> }): string | null {
  return store.supportPhones[0]?.number ?? null;
}
