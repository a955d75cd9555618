import type { FileChange, FileEntry } from "../contents/reader.ts";
import { count, readObject } from "../numbers.ts";

const types = new Map<unknown, FileEntry["type"]>([
  ["file", "file"],
  ["dir", "folder"],
  ["symlink", "link"],
]);

/** An entry of a stored folder, whose name stands in it as Go quotes text. */
export function storedEntry(text: string): FileEntry | undefined {
  const node = readObject(text);
  const name = node?.["name"];
  if (node === undefined || typeof name !== "string") return undefined;
  const entry = entryOf(unquoted(name), node);
  const target = node["linktarget"];
  return typeof target === "string" && target !== "" ? { ...entry, target } : entry;
}

/** An entry as `ls --json` tells it. */
export function listedEntry(node: Readonly<Record<string, unknown>>): FileEntry | undefined {
  const name = node["name"];
  return typeof name === "string" ? entryOf(name, node) : undefined;
}

/** A line of `diff --json`; undefined for the others, and for what differs in nothing but owners and times. */
export function changeOf(line: string): FileChange | undefined {
  const said = readObject(line);
  const { path, modifier } = said ?? {};
  if (said?.["message_type"] !== "change" || typeof path !== "string" || typeof modifier !== "string")
    return undefined;
  const isFolder = path.endsWith("/") && path !== "/";
  const where = { path: isFolder ? path.slice(0, -1) : path, ...(isFolder && { isFolder }) };
  if (modifier === "+") return { ...where, change: "added" };
  if (modifier === "-") return { ...where, change: "removed" };
  return /[MT?]/.test(modifier) ? { ...where, change: "changed" } : undefined;
}

function entryOf(name: string, node: Readonly<Record<string, unknown>>): FileEntry {
  const { type, mtime } = node;
  const known = types.get(type) ?? "other";
  const mode = count(node["mode"]);
  const [uid, gid] = [count(node["uid"]), count(node["gid"])];
  return {
    name,
    type: known,
    ...(known === "file" && { bytes: count(node["size"]) ?? 0 }),
    ...(typeof mtime === "string" && { modified: mtime }),
    ...(mode !== undefined && { mode: mode % 0o1000 }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  };
}

const letters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** The text that Go quoted. Bytes that are no UTF-8 become U+FFFD. */
function unquoted(text: string): string {
  if (!text.includes("\\")) return text;
  const parts: Buffer[] = [];
  const pattern = /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|(.))|([^\\]+)/gs;
  for (const [, byte, short, long, letter, plain] of text.matchAll(pattern)) {
    const code = short ?? long;
    if (byte !== undefined) parts.push(Buffer.from(byte, "hex"));
    else if (code !== undefined) parts.push(Buffer.from(codePoint(Number.parseInt(code, 16))));
    else if (letter !== undefined) parts.push(Buffer.from(letters[letter] ?? letter));
    else parts.push(Buffer.from(plain ?? ""));
  }
  return Buffer.concat(parts).toString("utf8");
}

function codePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
