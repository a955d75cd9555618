import type { FileChange, FileEntry } from "../contents/reader.ts";
import { count, readObject } from "../numbers.ts";

/** How a stored folder begins. */
export const folderHead = Buffer.from('{"stream":"kopia:directory"');

const types = new Map<unknown, FileEntry["type"]>([
  ["f", "file"],
  ["d", "folder"],
  ["s", "link"],
]);

/** An entry of a stored folder. */
export function readEntry(text: string): FileEntry | undefined {
  const found = readObject(text);
  const { name, type, mtime, mode } = found ?? {};
  if (found === undefined || typeof name !== "string") return undefined;
  const known = types.get(type) ?? "other";
  const [uid, gid] = [count(found["uid"]), count(found["gid"])];
  return {
    name,
    type: known,
    ...(known === "file" && { bytes: count(found["size"]) ?? 0 }),
    ...(typeof mtime === "string" && { modified: mtime }),
    ...(typeof mode === "string" &&
      /^0?[0-7]{1,6}$/.test(mode) && { mode: Number.parseInt(mode, 8) % 0o1000 }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  };
}

const whole =
  /^(added|removed|changed) (file |directory )?\.(\/.*?)( \(\d+ bytes\)| at [^\n]* \(size -?\d+ -> -?\d+\))?$/s;
/** A name may have newlines; more of them than this are not put together again. */
const maxJoined = 64;

/**
 * Reads what `diff` prints: a line for each file that was added, removed or changed, and others about times and modes. A name with
 * a newline is in two lines, which are put together: only the end of the second tells that it is one.
 */
export class DiffLines {
  readonly #onChange: (change: FileChange) => void;
  #open: string[] = [];

  constructor(onChange: (change: FileChange) => void) {
    this.#onChange = onChange;
  }

  push(line: string): void {
    const text = [...this.#open, line].join("\n");
    const change = changeOf(text);
    if (change) {
      this.#open = [];
      this.#onChange(change);
      return;
    }
    const begins = /^(?:(?:added|removed) file|changed) \.\//.test(text);
    this.#open = begins && this.#open.length < maxJoined ? [...this.#open, line] : [];
  }
}

function changeOf(text: string): FileChange | undefined {
  const [, verb, what = "", path = "", ending] = whole.exec(text) ?? [];
  if (verb !== "added" && verb !== "removed" && verb !== "changed") return undefined;
  const isFolder = what === "directory ";
  if (isFolder) return { path, change: verb, isFolder };
  return ending === undefined ? undefined : { path, change: verb };
}
