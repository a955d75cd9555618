import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { gunzipped, gzipped } from "./gzip.ts";

const data = randomBytes(2_000_000);
const packed = gzipSync(data);

async function* pieces(bytes: Uint8Array, then?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 50_000) yield bytes.subarray(at, at + 50_000);
  if (then) throw then;
}

const read = async (source: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(source));

test("gunzipped(gzipped()) is what it was", async () => {
  expect((await read(gunzipped(gzipped(pieces(data))))).equals(data)).toBe(true);
  expect(gunzipSync(await read(gzipped(["a", "b"]))).toString()).toBe("ab");
});

test.each(["gunzipped", "gzipped"] as const)(
  "%s() hands on the error of a source that breaks",
  async (which) => {
    const broken = new Error("the wire broke");
    const half = pieces(which === "gunzipped" ? packed.subarray(0, 1_000_000) : data, broken);
    await expect(read(which === "gunzipped" ? gunzipped(half) : gzipped(half))).rejects.toBe(broken);
  },
);

test("gunzipped() hands on the error of a source that breaks before its first byte", async () => {
  const broken = new Error("the wire broke");
  const damaged = () => new Error("damaged");
  await expect(read(gunzipped(pieces(new Uint8Array(), broken), { damaged }))).rejects.toBe(broken);
});

test.each([
  ["cut", packed.subarray(0, 1_000_000)],
  ["no gzip", Buffer.from("hello")],
])("gunzipped() tells what is %s in the words of its reader", async (_what, bytes) => {
  const damaged = (cause: unknown) => new Error("damaged", { cause });
  await expect(read(gunzipped(pieces(bytes), { damaged }))).rejects.toThrow("damaged");
  await expect(read(gunzipped(pieces(bytes)))).rejects.toMatchObject({ code: /^Z_/ });
});

test("gunzipped() calls bytes after the end damage, wherever they are cut", async () => {
  const [whole, more] = [gzipSync(Buffer.alloc(1024)), Buffer.from("more and more")];
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield Buffer.concat([whole, more.subarray(0, 1)]);
    for (const byte of more.subarray(1)) yield Uint8Array.of(byte);
  }
  const damaged = (cause: unknown) => new Error("damaged", { cause });
  await expect(read(gunzipped(cut(), { damaged }))).rejects.toThrow("damaged");
});

test("gunzipped() stops at the limit, and lets go of the source", async () => {
  let open = true;
  async function* bomb() {
    try {
      yield gzipSync(Buffer.alloc(50_000_000));
    } finally {
      open = false;
    }
  }
  const limit = { bytes: 1_000_000, tooLong: () => new Error("too long") };
  await expect(read(gunzipped(bomb(), { limit }))).rejects.toThrow("too long");
  await expect.poll(() => open).toBe(false);
});

test("gunzipped() lets go of the source when the reader stops, and rejects when it is told to stop", async () => {
  let closed = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      yield packed.subarray(0, 1_000_000);
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        yield packed.subarray(1_000_000, 1_000_001);
      }
    } finally {
      closed += 1;
    }
  }
  for await (const chunk of gunzipped(endless())) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  const stop = new AbortController();
  const why = new Error("stop");
  const reading = read(gunzipped(endless(), { signal: stop.signal }));
  setImmediate(() => stop.abort(why));
  await expect(reading).rejects.toBe(why);
  await expect.poll(() => closed).toBe(2);
});
