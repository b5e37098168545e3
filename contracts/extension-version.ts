/** The version of the extension that this shop serves. Browsers accept one to four numbers, joined by dots. */
export const EXTENSION_VERSION = "1.0.0";
