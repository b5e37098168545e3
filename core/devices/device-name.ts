import { z } from "zod";
import { DEVICE_NAME_MAXIMUM } from "./rules.ts";

/** Control and format characters: they hide a name, or turn the text around it. */
const INVISIBLE = /\p{C}/gu;

/** A name that the buyer gives a device. */
export const deviceNameSchema = z
  .string()
  .transform((name) => name.replace(INVISIBLE, "").trim())
  .pipe(
    z.string().min(1, "Enter a name.").max(DEVICE_NAME_MAXIMUM, `At most ${DEVICE_NAME_MAXIMUM} characters.`),
  );
