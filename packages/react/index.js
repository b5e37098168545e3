import { options } from "preact";
import Preact from "preact/compat";
import { runEffectsBeforeEvents } from "./effects-before-events.js";

export * from "preact/compat";

runEffectsBeforeEvents();

const setVNode = options.vnode;
const focusAtMount = (element) => element?.focus();

/** What React does with properties of elements and Preact does not. */
options.vnode = (vnode) => {
  setVNode?.(vnode);
  if (typeof vnode.type !== "string") return;
  const { props } = vnode;
  // It is no attribute. React Router sets it on its scripts and preloads.
  if ("suppressHydrationWarning" in props) delete props.suppressHydrationWarning;
  // `false` is a value of this attribute, and is not the same as none. As `spellcheck`, Preact would set the property.
  if (typeof props.spellCheck === "boolean") props.spellCheck = String(props.spellCheck);
  // Browsers follow the attribute once for each document.
  if (props.autoFocus && !vnode.ref) vnode.ref = focusAtMount;
};

/** Preact renders each change at once, so there is no optimistic value to show. React Router imports this function. */
export function useOptimistic(value) {
  return [value, () => undefined];
}

export default { ...Preact, useOptimistic };
