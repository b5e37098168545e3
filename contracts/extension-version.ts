/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.2.3";
/** The hash of the sources of that version. bin/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "b49ffc0d20436552ebb1dda984b1a4cd9793339c9a511e9df5939fedbd388bce";
