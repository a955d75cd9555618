import fc from "fast-check";
import { expect, test } from "vitest";
import { type LineOptions, LineSplitter, lines } from "./lines.ts";

async function* chunks(...parts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

const plain: LineOptions = { limitBytes: 1 << 20 };
const ended: LineOptions = { ...plain, returns: "end" };
const drawn: LineOptions = { ...plain, returns: "draw" };

test.each<[string, LineOptions, (string | Uint8Array)[], string[]]>([
  ["a split line", plain, ['{"a":', "1}\n"], ['{"a":1}']],
  ["merged lines", plain, ["a\nb\nc\n"], ["a", "b", "c"]],
  ["empty lines", plain, ["a\n\nb\n"], ["a", "", "b"]],
  ["a carriage return that means nothing", plain, ["a\rb\n"], ["a\rb"]],
  ["carriage returns", ended, ["\r | 1\r / 2\n * 3\r\n"], [" | 1", " / 2", " * 3"]],
  ["every kind of end, and a last line without one", ended, ["a\r\nb\rc\n\nd"], ["a", "b", "c", "d"]],
  ["a character cut in two", plain, [Buffer.from([0xc3]), Buffer.from([0xbc, 0x0a])], ["ü"]],
  ["invalid UTF-8", plain, [Buffer.from([0x61, 0xff, 0x62, 0x0a])], ["a\ufffdb"]],
  ["a character that never ends", plain, [Buffer.from([0x61, 0xc3])], ["a\ufffd"]],
  ["nothing", drawn, [], []],
  ["drawn lines, each once", drawn, ["\r 1", "\r 2", "\r 3\n"], [" 1", " 2", " 3"]],
  [
    "a drawn line that the pipe cut, again when it is whole",
    drawn,
    ["\r 1 of", " 2", "\r 2"],
    [" 1 of", " 1 of 2", " 2"],
  ],
  ["a plain line that the pipe cut, once", drawn, ["\r 1\n{", "}\n"], [" 1", "{}"]],
  ["Windows' ends", drawn, ["a\r", "\nb\r\n"], ["a", "b"]],
])("lines() takes %s", async (_name, options, parts, want) => {
  expect(await Array.fromAsync(lines(chunks(...parts), options))).toEqual(want);
});

test("a drawn line is given when it comes, not when the next one begins", () => {
  const splitter = new LineSplitter(drawn);
  expect(splitter.push(Buffer.from("\r / 1 hashing"))).toEqual([" / 1 hashing"]);
  expect(splitter.push(Buffer.from("\r | 2 hashing"))).toEqual([" | 2 hashing"]);
  expect(splitter.end()).toEqual([]);
});

test("a drawn line that trickles in without an end is not given again and again", () => {
  const splitter = new LineSplitter(drawn);
  splitter.push(Buffer.from("\r"));
  let given = 0;
  for (let i = 0; i < 100_000; i += 1) given += splitter.push(Buffer.from("x")).length;
  expect(given).toBeLessThanOrEqual(4_096);
});

test("a line beyond the limit is cut, and the next one is whole", async () => {
  async function* flood(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 1000; i += 1) yield Buffer.alloc(1000, "x");
    yield Buffer.from("\nnext\n");
  }
  const got = await Array.fromAsync(lines(flood(), { ...ended, limitBytes: 5000 }));
  expect(got.map((line) => line.length)).toEqual([5000, 4]);
});

test("a line beyond the limit is refused where nothing else bounds it", async () => {
  const limited: LineOptions = { limitBytes: 10, beyond: "throw" };
  await expect(Array.fromAsync(lines(chunks("x".repeat(11)), limited))).rejects.toThrow(
    "longer than 10 bytes",
  );
});

test("a line of a megabyte in pieces of 64 KiB arrives whole", async () => {
  const pieces = Array.from({ length: 16 }, () => Buffer.alloc(65_536, "x"));
  const got = await Array.fromAsync(lines(chunks(...pieces), { limitBytes: 4 << 20, returns: "end" }));
  expect(got.map((line) => line.length)).toEqual([1_048_576]);
});

test.each([["plain" as const], ["end" as const]])(
  "wherever the pieces are cut, the lines are the same (%s)",
  (returns) => {
    const options: LineOptions = { ...plain, returns };
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text.toWellFormed());
        const pieces: Buffer[] = [];
        let at = 0;
        for (const size of cuts) {
          pieces.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(split(options, ...pieces, bytes.subarray(at))).toEqual(split(options, bytes));
      }),
    );
  },
);

function split(options: LineOptions, ...pieces: Uint8Array[]): string[] {
  const splitter = new LineSplitter(options);
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
}
