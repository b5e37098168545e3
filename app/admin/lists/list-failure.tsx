import { useRevalidator } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";

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
