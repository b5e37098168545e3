/**
 * The origin of the shop that this extension belongs to. The build makes a template with this address, which cannot
 * exist; the shop replaces it in the files that it serves.
 */
export const SHOP_ORIGIN = "https://shop-origin.invalid";
