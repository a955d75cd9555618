/** Longer lines are cut; a line of progress has a few hundred characters. */
const defaultLimit = 256 * 1024;

/**
 * Splits a byte stream into lines at \n, \r\n and \r.
 *
 * The tail of a chunk is held back until its end arrives: a pipe cuts JSON, and characters, wherever it likes. Invalid UTF-8 becomes
 * U+FFFD. What a line has beyond the limit is dropped, so a mover that never ends its line costs no memory.
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array>,
  limit: number = defaultLimit,
): AsyncGenerator<string> {
  const utf8 = new TextDecoder();
  let tail = "";
  for await (const chunk of chunks) {
    const parts = (tail + utf8.decode(chunk, { stream: true })).split(/[\r\n]/);
    tail = (parts.pop() ?? "").slice(0, limit);
    for (const part of parts) if (part !== "") yield part.slice(0, limit);
  }
  tail += utf8.decode();
  if (tail !== "") yield tail.slice(0, limit);
}
