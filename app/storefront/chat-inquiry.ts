/** The first message of somebody who wants a pass that is sold in the chat. */
export const passInquiry = (toolName: string) => `Hello, I would like a pass for ${toolName}.`;

/** The first message of somebody who needs help. */
export const supportInquiry = (storeName: string) => `Hello ${storeName}, I need help.`;

/** The number of the chat in which tools are sold: the first one; null without one. */
export function chatNumberOf(store: { supportPhones: ReadonlyArray<{ number: string }> }): string | null {
  return store.supportPhones[0]?.number ?? null;
}
