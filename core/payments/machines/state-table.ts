/**
 * A state machine as a table: the next state for each state and event, or null when the event changes nothing.
 */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, State | null>>>
>;

/** The states that an event changes, for the condition of a statement. */
export function statesChangedBy<State extends string, Event extends string>(
  table: StateTable<State, Event>,
  event: Event,
): State[] {
  return (Object.keys(table) as State[]).filter((state) => table[state][event] !== null);
}
