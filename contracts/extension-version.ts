/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.1.2";
/** The hash of the sources of that version. tools/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "d5d3b100537bbd1dce6814e9d473912851dacc47fbaa5f6baa76e044b7002a12";
