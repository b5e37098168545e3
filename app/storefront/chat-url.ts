/**
 * The address that opens a chat with a support number.
 *
 * @param number with country code; anything but its digits is dropped
 * @param text what the chat starts with
 */
export function chatUrl(number: string, text?: string): string {
  const url = new URL(`https://wa.me/${number.replace(/\D/g, "")}`);
  if (text) url.searchParams.set("text", text);
  return url.href;
}
