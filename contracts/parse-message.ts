interface Schema<Output> {
  safeParse(message: unknown): { success: true; data: Output } | { success: false };
}

/**
 * A message that anybody may have sent, in the form of the contract; null for any other message. A schema throws when it
 * measures an object whose length cannot be compared, so that counts as any other wrong message.
 */
export function parseMessage<Output>(schema: Schema<Output>, message: unknown): Output | null {
  try {
    const parsed = schema.safeParse(message);
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
