import { useNavigation } from "react-router";

/** A thin line at the top while the next page is on its way; quick ones end before it shows. */
export function NavigationProgress() {
  const navigation = useNavigation();
  if (navigation.state === "idle") return null;
  return <div aria-hidden="true" className="progress-line fixed inset-x-0 top-0 z-50 h-0.5 bg-marigold" />;
}
