import fc from "fast-check";
import { expect, test } from "vitest";
import { lines } from "./lines.ts";

async function collect(chunks: readonly Buffer[], limit = 1 << 20): Promise<string[]> {
  const found: string[] = [];
  for await (const line of lines(
    (async function* () {
      yield* chunks;
    })(),
    limit,
  ))
    found.push(line);
  return found;
}

test("lines() does not care where the chunks were cut, within a character included", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }).map((s) => s.replaceAll("\n", "")));
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 7 }), async (wanted, step) => {
      const whole = Buffer.from(wanted.map((line) => `${line}\n`).join(""));
      const chunks: Buffer[] = [];
      for (let at = 0; at < whole.length; at += step) chunks.push(whole.subarray(at, at + step));
      expect(await collect(chunks)).toEqual(wanted);
    }),
  );
});

test("lines() gives the last line without its end too", async () => {
  expect(await collect([Buffer.from("a\nb")])).toEqual(["a", "b"]);
});

test("lines() refuses a line that has no end", async () => {
  await expect(collect([Buffer.alloc(11, "x")], 10)).rejects.toThrow("longer than 10 bytes");
});
