import type { Readable } from "node:stream";

/** What a long-running command logs when nobody handled an error. */
const marks = ["unhandled rejection", "uncaught exception"];
/** A line that is longer is none of ours. */
const maxChars = 100_000;

/** The error that a line of a program's log tells of, when nobody handled it; undefined for other lines. */
export function unhandledIn(line: string): string | undefined {
  if (!marks.some((mark) => line.includes(`"message":"${mark}"`))) return undefined;
  return line;
}

/** Fails the test, even when it is over, as soon as its program logs an error that nobody handled: production survives it, a test does not. */
export function failOnUnhandled(log: Readable): void {
  let rest = "";
  log.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = (lines.pop() ?? "").slice(-maxChars);
    for (const line of lines) {
      const found = unhandledIn(line);
      // Nobody awaits this either: the runner reports it as an error of the test that runs.
      if (found !== undefined)
        setImmediate(() => {
          throw new Error(`a program of this test logged ${found}`);
        });
    }
  });
}
