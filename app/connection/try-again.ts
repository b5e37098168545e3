/** The question the buyer is asked when something could not be loaded. */
export interface Question {
  /** Another attempt is under way. */
  busy: boolean;
  tryAgain(): void;
  close(): void;
}

let question: Question | null = null;
const listeners = new Set<() => void>();

/**
 * Says that the connection failed, over the page as it is. Resolves when the buyer wants another attempt; the sheet then
 * stays until `closeRetryPrompt` or the next failure. It never resolves when the buyer closes it: the attempt is given up.
 */
export function promptRetry(onClose: () => void = () => undefined): Promise<void> {
  return new Promise((resolve) => {
    const asked: Question = {
      busy: false,
      tryAgain: () => {
        put({ ...asked, busy: true });
        resolve();
      },
      close: () => {
        put(null);
        onClose();
      },
    };
    put(asked);
  });
}

/** The shop has answered. */
export function closeRetryPrompt(): void {
  if (question !== null) put(null);
}

export function currentQuestion(): Question | null {
  return question;
}

export function subscribeToQuestion(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}
