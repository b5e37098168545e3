import { z } from "zod";

export const DEVICE_NAME_MAXIMUM = 60;

/** A name that the buyer gives a device. */
export const deviceNameSchema = z
  .string()
  .trim()
  .min(1, "Enter a name.")
  .max(DEVICE_NAME_MAXIMUM, `At most ${DEVICE_NAME_MAXIMUM} characters.`);
