/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.1.0";
/** The hash of the sources of that version. tools/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "2eb26b6118285ccbadbdaab1cdfd68360aadd9eeb29935e2088010aec66343a3";
