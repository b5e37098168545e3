import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";
import { queueTurn } from "./ui/hydration.ts";

const INSTRUMENTATIONS = [loadCodeBeforeNavigation];

// Not in the task that has run all modules.
queueTurn(() => hydrateRoot(document, <HydratedRouter instrumentations={INSTRUMENTATIONS} />));
