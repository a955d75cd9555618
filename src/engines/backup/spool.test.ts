import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { fileBytes, GzipSpool } from "./spool.ts";

const folder = mkdtempSync(join(tmpdir(), "spool-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("GzipSpool writes what it was given, in order, and tells the size of the file", async () => {
  const spool = new GzipSpool(join(folder, "good.gz"));
  const pieces = Array.from({ length: 100 }, (_, n) => Buffer.alloc(10_000, n % 256));
  for (const piece of pieces) await spool.write(piece, Buffer.from("|"));
  const bytes = await spool.close();
  const stored = readFileSync(spool.path);
  expect(stored.length).toBe(bytes);
  expect(gunzipSync(stored)).toEqual(Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.from("|")])));
  expect(Buffer.concat(await Array.fromAsync(fileBytes(spool.path)))).toEqual(stored);
});

test("GzipSpool tells that the disk is full, and where", async () => {
  const spool = new GzipSpool("/dev/full");
  const random = () => crypto.getRandomValues(new Uint8Array(64 << 10)); // does not compress away
  const fill = async () => {
    for (let n = 0; n < 64; n++) await spool.write(random());
    await spool.close();
  };
  await expect(fill()).rejects.toMatchObject({
    code: "SPOOL_FAILED",
    message: expect.stringMatching(/^write "\/dev\/full": .*no space left/),
  });
});

test("GzipSpool that was given up writes nothing more", async () => {
  const spool = new GzipSpool(join(folder, "given-up.gz"));
  spool.destroy();
  await expect(spool.close()).rejects.toMatchObject({ code: "SPOOL_FAILED" });
});
