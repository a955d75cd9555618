import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { givenFile, givenWords } from "./given-file.ts";

const folder = mkdtempSync(join(tmpdir(), "given-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test("givenWords() takes the words of a file, without the white space around them", async () => {
  expect(await givenWords("token-file", file("token", " abc\n"))).toBe("abc");
});

test.each([
  ["is not there", () => join(folder, "none"), "it is not there"],
  ["is a folder", () => folder, "it is a folder"],
])("givenFile() says which flag names a file that %s", async (_what, path, why) => {
  await expect(givenFile("ca-file", path())).rejects.toMatchObject({
    code: "USAGE",
    message: `--ca-file "${path()}": ${why}`,
  });
});

test("givenWords() refuses an empty file", async () => {
  const path = file("empty", "\n");
  await expect(givenWords("token-file", path)).rejects.toMatchObject({
    code: "USAGE",
    message: `--token-file "${path}": it is empty`,
  });
});
