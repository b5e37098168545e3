/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.2.1";
/** The hash of the sources of that version. bin/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "7157752dce500e6aa46968b55456fc5a0fb263e88f5414544e8bf4f26cb4da99";
