/** Waits until a condition holds; fails with what was found last. For systems under test, where nothing can be awaited. */
export async function eventually<T>(
  read: () => T | Promise<T>,
  holds: (value: T) => boolean,
  limitMs = 60_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`not so after ${limitMs / 1000} s: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
