import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";

const INSTRUMENTATIONS = [loadCodeBeforeNavigation];

hydrateRoot(document, <HydratedRouter instrumentations={INSTRUMENTATIONS} />);
