import fc from "fast-check";
import { expect, test } from "vitest";
import { lines } from "./lines.ts";

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

test.each([
  ["a split line", ['{"a":', "1}\n"], ['{"a":1}']],
  ["merged lines", ["a\nb\nc\n"], ["a", "b", "c"]],
  ["carriage returns", ["\r | 1\r / 2\n * 3\r\n"], [" | 1", " / 2", " * 3"]],
  ["a last line without its end", ["a\nb"], ["a", "b"]],
  ["a character cut in two", [Buffer.from([0xc3]), Buffer.from([0xbc, 0x0a])], ["ü"]],
  ["invalid UTF-8", [Buffer.from([0x61, 0xff, 0x62, 0x0a])], ["a\ufffdb"]],
  ["a character that never ends", [Buffer.from([0x61, 0xc3])], ["a\ufffd"]],
  ["nothing", [], []],
])("lines() takes %s", async (_name, parts, want) => {
  expect(await Array.fromAsync(lines(chunks(...parts)))).toEqual(want);
});

test("lines() cuts a line that never ends, and goes on after it", async () => {
  async function* flood(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 1000; i += 1) yield Buffer.alloc(1000, "x");
    yield Buffer.from("\nnext\n");
  }
  const got = await Array.fromAsync(lines(flood(), 5000));
  expect(got.map((line) => line.length)).toEqual([5000, 4]);
});

test("lines() gives the same lines wherever the pipe cuts", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ minLength: 1 }).filter((line) => !/[\r\n]/.test(line)),
        { maxLength: 10 },
      ),
      fc.array(fc.nat(40), { maxLength: 20 }),
      async (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
        const places = [
          ...new Set([0, ...cuts.map((at) => Math.min(at, bytes.length)), bytes.length]),
        ].toSorted((a, b) => a - b);
        const parts = places.slice(1).map((at, i) => bytes.subarray(places[i], at));
        expect(await Array.fromAsync(lines(chunks(...parts)))).toEqual(
          wanted.map((line) => line.toWellFormed()),
        );
      },
    ),
    { numRuns: 100 },
  );
});
