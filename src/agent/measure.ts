import { lstat, opendir, readFile, statfs } from "node:fs/promises";

/** How far a folder is walked: what is larger is measured by its file system, or not at all. */
export interface Bounds {
  readonly entries: number;
  readonly ms: number;
  readonly now: () => number;
}

/**
 * What the files below a folder hold, at little cost: a walk that ends early, then what the file system has in use, where the
 * folder is all of it. Undefined when neither tells: a part of a folder, or of a disk that others use, says nothing.
 */
export async function measureFolder(
  path: string,
  bounds: Bounds,
  signal: AbortSignal,
): Promise<number | undefined> {
  const walked = await walk(path, bounds, signal);
  return (
    walked ?? (isWholeDevice(await readFile("/proc/self/mountinfo", "utf8"), path) ? used(path) : undefined)
  );
}

/** Whether a file system of its own, on a device of its own, is mounted there: not a folder of another one, and no share of a server. */
export function isWholeDevice(mountInfo: string, path: string): boolean {
  // id parent major:minor root mount-point options … - type source; the last one covers those before it.
  const rows = mountInfo.split("\n").map((row) => row.split(" "));
  const row = rows.findLast((words) => unescaped(words[4] ?? "") === path);
  const source = row?.[row.indexOf("-") + 2] ?? "";
  return row?.[3] === "/" && source.startsWith("/dev/");
}

/** The kernel writes blanks in names as octal numbers. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

async function used(path: string): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(path);
  return (blocks - bfree) * bsize;
}

async function walk(
  path: string,
  { entries, ms, now }: Bounds,
  signal: AbortSignal,
): Promise<number | undefined> {
  const until = now() + ms;
  // Names are bytes: latin1 keeps those that are no UTF-8. Bounded by the entries that are looked at.
  const folders = [Buffer.from(path)];
  let [bytes, seen] = [0, 0];
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    for await (const entry of await opendir(folder, { encoding: "latin1" })) {
      signal.throwIfAborted();
      seen += 1;
      if (seen > entries || now() > until) return undefined;
      const below = Buffer.concat([folder, Buffer.from(`/${entry.name}`, "latin1")]);
      if (entry.isDirectory()) folders.push(below);
      else if (entry.isFile()) bytes += (await lstat(below)).size;
    }
  }
  return bytes;
}
