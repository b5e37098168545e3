import { type ReactNode, useEffect } from "react";
import { useRevalidator } from "react-router";

interface ForAdminProps<Data> {
  /** What `loadForAdmin` returned. */
  data: Data | null;
  children: (data: Data) => ReactNode;
}

/** The content of an admin's page. Without an admin, the frame loads its data again and shows the sign-in form. */
export function ForAdmin<Data>({ data, children }: ForAdminProps<Data>) {
  const { revalidate } = useRevalidator();
  const isSignedOut = data === null;
  useEffect(() => {
    if (isSignedOut) void revalidate();
  }, [isSignedOut, revalidate]);
  return data === null ? null : children(data);
}
