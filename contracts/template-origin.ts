/**
 * The address of the shop in the templates of the extension that the build makes. It cannot exist; the shop replaces it in
 * the files that it serves.
 */
export const TEMPLATE_ORIGIN = "https://shop-origin.invalid";
