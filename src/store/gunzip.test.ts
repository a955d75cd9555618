import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { AppError } from "../errors.ts";
import { gunzipped } from "./gunzip.ts";

const damaged = (cause: unknown) => new AppError("STORED_INVALID", "damaged", { cause });

async function* chunks(...parts: readonly (Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

async function read(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<string> {
  return Buffer.concat(await Array.fromAsync(gunzipped(source, damaged, signal))).toString();
}

test("gunzipped() gives what was compressed, however it arrives", async () => {
  const packed = gzipSync("hello ".repeat(10_000));
  expect(await read(chunks(packed.subarray(0, 7), packed.subarray(7)))).toBe("hello ".repeat(10_000));
});

test("gunzipped() tells damage from a source that failed", async () => {
  const packed = gzipSync("hello");
  await expect(read(chunks(packed.subarray(0, -5)))).rejects.toMatchObject({ code: "STORED_INVALID" });
  await expect(read(chunks(Buffer.from("no gzip")))).rejects.toMatchObject({ code: "STORED_INVALID" });
  const gone = new Error("the connection broke");
  await expect(read(chunks(packed.subarray(0, 5), gone))).rejects.toBe(gone);
});

test("gunzipped() ends with its signal", async () => {
  const reason = new Error("enough");
  await expect(read(chunks(gzipSync("hello")), AbortSignal.abort(reason))).rejects.toBe(reason);
});
