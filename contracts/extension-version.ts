/**
 * The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. Installed
 * extensions and the dashboard compare it with their own, so it must grow with every change of the extension.
 */
export const EXTENSION_VERSION = "1.2.0";
/** The hash of the sources of that version. bin/raise-extension-version.ts writes both. */
export const EXTENSION_SOURCES = "a36fc4e13b0772958e3ba54bb7a2dc5135cd6a9990116baba549877df2fb6cb9";
