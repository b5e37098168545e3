/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.1.1";
/** The hash of the sources of that version. tools/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "d3ec9e4d1c928c4a09ce9d40875be882185a775f9d7c01ce12f31546ba5fbaf1";
