import type { Random } from "./random.ts";

const odd = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x5c, 0x7b, 0x7d, 0x7f, 0x80, 0xc3, 0xef, 0xfe, 0xff];
const tokens = [
  "null",
  "-1",
  "1e999",
  "9223372036854775808",
  "\\u0000",
  "\\ud800",
  "__proto__",
  "{{",
  "}}",
  '"',
  "\u2028",
  "../",
  "%00",
  "\r\n\r\n",
  ":",
  "|",
  "[[[[",
  '{"a":',
].map((text) => Buffer.from(text));

/** Bytes that were changed in a few places: bits, cuts, copies, splices with another sample, words that parsers stumble over. */
export function mutateBytes(random: Random, sample: Uint8Array, other: Uint8Array = sample): Uint8Array {
  let bytes = Buffer.from(sample);
  const times = 1 + random.size(8);
  for (let i = 0; i < times; i += 1) bytes = changed(random, bytes, other);
  return bytes.subarray(0, 1 << 20);
}

/** The same for text; what is not UTF-8 any more becomes a replacement character. */
export function mutateText(random: Random, sample: string, other: string = sample): string {
  return Buffer.from(mutateBytes(random, Buffer.from(sample), Buffer.from(other))).toString("utf8");
}

/** Cuts bytes at random places, as pipes and sockets do. */
export function chunked(random: Random, bytes: Uint8Array, most = 8): Uint8Array[] {
  const cuts = Array.from({ length: random.below(most) }, () => random.below(bytes.length + 1));
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).map((end, i) => bytes.subarray(edges[i], end));
}

/** The same pieces, as a stream. */
export async function* streamed<T>(pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces;
}

function changed(random: Random, bytes: Buffer, other: Uint8Array): Buffer<ArrayBuffer> {
  const [at, length] = [random.below(bytes.length + 1), random.size(64)];
  const copy = Buffer.from(bytes);
  switch (random.below(9)) {
    case 0:
      if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
      return copy;
    case 1:
      if (at < copy.length) copy[at] = random.of(odd);
      return copy;
    case 2:
      if (at < copy.length) copy[at] = random.below(256);
      return copy;
    case 3:
      return Buffer.from(copy.subarray(0, at));
    case 4:
      return Buffer.concat([copy.subarray(0, at), copy.subarray(at + length)]);
    case 5:
      return Buffer.concat([copy.subarray(0, at), random.of(tokens), copy.subarray(at)]);
    case 6: {
      const piece = copy.subarray(at, at + length);
      const times = 1 + random.size(random.oneIn(50) ? 2000 : 8);
      return Buffer.concat([
        copy.subarray(0, at),
        ...Array.from({ length: times }, () => piece),
        copy.subarray(at),
      ]);
    }
    case 7: {
      const from = random.below(other.length + 1);
      return Buffer.concat([
        copy.subarray(0, at),
        other.subarray(from, from + random.size(512)),
        copy.subarray(at),
      ]);
    }
    default:
      return Buffer.concat([copy.subarray(0, at), randomBytes(random, length), copy.subarray(at + length)]);
  }
}

function randomBytes(random: Random, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.below(256));
}
