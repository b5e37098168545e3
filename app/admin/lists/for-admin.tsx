import { type ReactNode, useEffect } from "react";
import { useRevalidator } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";

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

/** In place of a list that could not be loaded. The rest of the page stays. */
export function ListFailure({ message }: { message: string }) {
  const { state, revalidate } = useRevalidator();
  return (
    <div className="flex flex-col items-start gap-3">
      <Banner tone="error">{message}</Banner>
      <Button busy={state === "loading"} onClick={() => void revalidate()}>
        Try again
      </Button>
    </div>
  );
}
