import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileToken, fixedCredentials } from "./credentials.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "token-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test("fileToken() reads the file again each minute, since somebody else rotates it", async () => {
  const path = join(dir, "token");
  let now = 0;
  writeFileSync(path, "one\n");
  const source = fileToken(path, () => now);
  expect(await source.get()).toEqual({ token: "one" });
  writeFileSync(path, "two\n");
  now = 59_999;
  expect(await source.get()).toEqual({ token: "one" });
  now = 60_000;
  expect(await source.get()).toEqual({ token: "two" });
});

test("fileToken() goes on with an old token while the file is away, but needs a first one", async () => {
  const path = join(dir, "token");
  let now = 0;
  await expect(fileToken(path).get()).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
  writeFileSync(path, "one");
  const source = fileToken(path, () => now);
  await source.get();
  rmSync(path);
  now = 120_000;
  expect(await source.get()).toEqual({ token: "one" });
});

test("fixedCredentials() have nothing newer to give", async () => {
  const source = fixedCredentials({ token: "t" });
  expect([await source.get(), source.refused()]).toEqual([{ token: "t" }, false]);
});
