import { useEffect } from "react";
import { useRevalidator } from "react-router";

/** In place of a list whose loader found no admin: the frame loads its data again and shows the sign-in form. */
export function SignedOut() {
  const { revalidate } = useRevalidator();
  useEffect(() => void revalidate(), [revalidate]);
  return null;
}
