/**
 * Follows the pages of the provider as a browser does, until it sends the browser back to the shop.
 *
 * @param start the address of the sign-in page that the shop has made
 * @returns the address of the shop, with the provider's answer
 */
export async function signInAtProvider(start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const issuer = new URL(start).origin;
  let url = new URL(start);
  for (let step = 0; step < 10; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    await response.body?.cancel();
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url.pathname} of the provider answered ${response.status}`);
    url = new URL(location, url);
    if (url.origin !== issuer) return url;
  }
  throw new Error("the provider never sends the browser back");
}
