import { options } from "preact";
import Preact from "preact/compat";

export * from "preact/compat";

const setVNode = options.vnode;

/** React Router marks its scripts and preloads with a property of React that is no attribute. */
options.vnode = (vnode) => {
  setVNode?.(vnode);
  if (typeof vnode.type === "string" && "suppressHydrationWarning" in vnode.props) {
    delete vnode.props.suppressHydrationWarning;
  }
};

/**
 * Preact has no transitions that last, it renders each change at once. So an optimistic value is never shown. React Router
 * imports this function.
 */
export function useOptimistic(value) {
  return [value, () => undefined];
}

export default { ...Preact, useOptimistic };
