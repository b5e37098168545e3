import { isSoundName, noteGesture, PRIORITY, play, type SoundName } from "./player.ts";
import { isSoundOn, onSoundChange } from "./sound-switch.tsx";

/**
 * Gives the page its sounds, without a call in every component: what appears on the page says what it sounds like.
 *
 * - an element with `data-sound` plays that sound when it appears or gets the attribute
 * - an alert that gets a text plays the error; one whose text changes, such as a time, is silent
 * - a dialog that opens pops; one that closes, and another page, whoosh
 * - a press of a strong button clicks, and the mouse over an element with `data-sound-hover` plays the hover
 *
 * Presses that a script makes are silent.
 */
export function startSounds(): void {
  const options = { capture: true, passive: true };
  for (const gesture of ["pointerdown", "keydown"] as const) {
    window.addEventListener(gesture, ({ isTrusted }) => isTrusted && noteGesture(), options);
  }
  window.addEventListener("click", onClick, options);
  window.addEventListener("pointerover", onPointerOver, options);
  observePage();
  // Whoever turns them on hears that they are on.
  let wasOn = isSoundOn();
  onSoundChange(() => {
    const on = isSoundOn();
    if (on && !wasOn) play("click");
    wasOn = on;
  });
}

/** `strong` and `soft` in app/ui/class-names.ts, the marks of the main action of a view and of an item. */
const STRONG_BUTTON = ":is(button, a):is(.button-strong, .button-soft):not([aria-disabled])";

function onClick({ isTrusted, target }: MouseEvent): void {
  if (isTrusted && target instanceof Element && target.closest(STRONG_BUTTON)) play("click");
}

let hovered: Element | null = null;

function onPointerOver({ isTrusted, pointerType, target }: PointerEvent): void {
  if (!isTrusted || pointerType !== "mouse" || !(target instanceof Element)) return;
  const over = target.closest("[data-sound-hover]");
  if (over === hovered) return;
  hovered = over;
  if (over !== null && window.matchMedia("(pointer: fine)").matches) play("hover");
}

const AUDIBLE = "[data-sound], [role=dialog], [role=alert]";

function observePage(): void {
  let path = window.location.pathname;
  const observer = new MutationObserver((changes) => {
    const heard = new Set<SoundName>();
    for (const change of changes) for (const name of soundsOf(change)) heard.add(name);
    if (path !== window.location.pathname) heard.add("whoosh");
    path = window.location.pathname;
    const loudest = PRIORITY.find((name) => heard.has(name));
    if (loudest !== undefined) play(loudest);
  });
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-sound", "data-closed"],
  });
}

function soundsOf({ type, target, attributeName, addedNodes, removedNodes }: MutationRecord): SoundName[] {
  const element = target instanceof Element ? target : null;
  if (type === "attributes") return element === null ? [] : soundsOfAttribute(element, attributeName);
  const alert = addedNodes.length > 0 ? element?.closest("[role=alert]") : null;
  const added = [...elementsIn(addedNodes)].flatMap((found) => soundOfAdded(found) ?? []);
  const closed = [...elementsIn(removedNodes)].some(
    // A dialog with an animation has been closed before it is removed.
    (found) => found.matches("[role=dialog]") && !found.hasAttribute("data-closed"),
  );
  return [
    ...added,
    ...(alert?.textContent ? (["error"] as const) : []),
    ...(closed ? (["whoosh"] as const) : []),
  ];
}

function soundsOfAttribute(element: Element, attribute: string | null): SoundName[] {
  if (attribute === "data-sound") {
    const name = element.getAttribute("data-sound");
    return isSoundName(name) ? [name] : [];
  }
  return element.matches("[role=dialog][data-closed]") ? ["whoosh"] : [];
}

function soundOfAdded(element: Element): SoundName | null {
  const name = element.getAttribute("data-sound");
  if (isSoundName(name)) return name;
  if (element.matches("[role=dialog]")) return "pop";
  return element.matches("[role=alert]") && element.textContent ? "error" : null;
}

function* elementsIn(nodes: NodeList): Generator<Element> {
  for (const node of nodes) {
    if (!(node instanceof Element)) continue;
    if (node.matches(AUDIBLE)) yield node;
    yield* node.querySelectorAll(AUDIBLE);
  }
}
