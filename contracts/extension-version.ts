/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.1.4";
/** The hash of the sources of that version. bin/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "d81b1db84557caf15fed409edf504fc15cabde96ec99aae4242bc0c484525781";
