/** Does one step of a journey and prints how it went. */
export async function step(name: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const seconds = () => `(${((performance.now() - began) / 1000).toFixed(1)} s)`;
  try {
    await work();
  } catch (error) {
    console.log(`FAILED  ${name} ${seconds()}`);
    throw error;
  }
  console.log(`ok  ${name} ${seconds()}`);
}
