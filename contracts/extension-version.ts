/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.2.4";
/** The hash of the sources of that version. bin/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "a572ee10ecac7b743bfb16dc82be61077d6cb437c70a8b405f4d6f85cb3ce1ef";
