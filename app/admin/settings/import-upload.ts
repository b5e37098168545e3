/** Where the export of an old shop is sent, and how: the bytes of the zip as they are, its name in the address. */
export const IMPORT_PATH = "/admin/import";

export const IMPORT_TYPE = "application/zip";
