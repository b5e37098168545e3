/**
 * The address that opens a chat with a support number.
 *
 * @param number with country code; all characters but digits are removed
 * @param text the first message of the chat
 */
export function chatUrl(number: string, text?: string): string {
  const url = new URL(`https://wa.me/${number.replace(/\D/g, "")}`);
  if (text) url.searchParams.set("text", text);
  return url.href;
}
