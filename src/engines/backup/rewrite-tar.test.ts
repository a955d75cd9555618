import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ArchiveWriter, entryNames } from "./archive.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "rewrite-tar-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const place = (name: string) => ({ group: "", plural: "configmaps", version: "v1", namespace: "shop", name });
const long = "n".repeat(240);
const big = Buffer.alloc(300_000, "x");

/** The entries of the archive, with the name that a pax header gives. */
function entries(path: string): [string, string][] {
  const tar = gunzipSync(readFileSync(path));
  const found: [string, string][] = [];
  let pax: string | undefined;
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const text = (from: number, to: number) =>
      tar.toString("latin1", at + from, at + to).replace(/\0.*$/s, "");
    const bytes = Number.parseInt(text(124, 136), 8);
    const body = tar.toString("utf8", at + 512, at + 512 + bytes);
    const prefix = text(345, 500);
    if (text(156, 157) === "x") pax = /path=([^\n]*)/.exec(body)?.[1];
    else {
      found.push([pax ?? (prefix === "" ? text(0, 100) : `${prefix}/${text(0, 100)}`), body]);
      pax = undefined;
    }
    at += 512 + Math.ceil(bytes / 512) * 512;
  }
  return found;
}

test("replace() puts entries in place of others, keeps the rest byte for byte, and adds what is new", async () => {
  const writer = new ArchiveWriter(join(folder, "a.tar.gz"), 0);
  await writer.add(place("a"), Buffer.from("old"));
  await writer.add(place(long), Buffer.from("long"));
  await writer.add(place("big"), big);
  const now = new Map(
    [place(long), place("new")].flatMap((one) =>
      entryNames(one).map((name) => [name, Buffer.from("now")] as const),
    ),
  );
  await writer.replace(now);
  await writer.add(place("later"), Buffer.from("later"));
  await writer.close();
  const found = new Map(entries(writer.path));
  expect(found.size).toBe(entries(writer.path).length);
  const of = (name: string) => entryNames(place(name)).map((entry) => found.get(entry));
  expect(of("a")).toEqual(["old", "old"]);
  expect(of(long)).toEqual(["now", "now"]);
  expect(of("new")).toEqual(["now", "now"]);
  expect(of("later")).toEqual(["later", "later"]);
  expect(of("big").every((body) => body === big.toString())).toBe(true);
  expect(found.get("metadata/version")).toBe("1.1.0\n");
});
