import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tarOf, tarOfFiles, zipped } from "./pack.ts";

test("tarOf() gives the same bytes whenever and in whatever order files were made", () => {
  const made = [
    ["a", "b"],
    ["b", "a"],
  ].map((names, i) => {
    const folder = mkdtempSync(join(tmpdir(), "headway-tar-"));
    for (const name of names) {
      writeFileSync(join(folder, name), name);
      utimesSync(join(folder, name), i + 1, i + 1);
    }
    const tar = tarOf(folder, ["a", "b"]);
    rmSync(folder, { recursive: true });
    return zipped(tar).toString("base64");
  });
  expect(made[0]).toBe(made[1]);
});

test("tarOfFiles() holds every file under its path", () => {
  const tar = tarOfFiles(
    new Map([
      ["a/b.txt", Buffer.from("x")],
      ["c", Buffer.from("y")],
    ]),
  );
  const listed = execFileSync("tar", ["-tf", "-"], { input: tar, encoding: "utf8" }).trim().split("\n");
  expect(listed).toEqual(["a/", "a/b.txt", "c"]);
});
