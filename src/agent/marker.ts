import { lstat, mkdir, opendir, readdir, rm, stat, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { markerFolder } from "../engines/podvolume/index.ts";

/** Whether an earlier life finished this volume of this restore. */
export async function isComplete(volume: string, restoreUid: string): Promise<boolean> {
  const facts = await stat(join(volume, markerFolder, restoreUid)).catch(() => undefined); // not there: not complete
  return facts?.isFile() ?? false;
}

/**
 * Makes a volume ready for a restore. One that was empty at first gets a note of it; when the note is there already, what
 * an earlier try left of links and devices goes: older movers cannot write over them.
 */
export async function beginRestore(volume: string, restoreUid: string, signal: AbortSignal): Promise<void> {
  const folder = join(volume, markerFolder);
  const note = join(folder, `${restoreUid}.partial`);
  if ((await stat(note).catch(() => undefined)) !== undefined)
    return removeLinks(Buffer.from(volume), signal);
  const names = await readdir(volume);
  if (names.some((name) => name !== "lost+found")) return; // not all of it would be ours to remove
  await mkdir(folder, { mode: 0o755 });
  await writeFile(note, "");
}

/** Removes what is neither a file nor a folder: links and devices of an earlier try, which older movers cannot write over. */
export async function removeLinks(folder: Buffer, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for await (const entry of await opendir(folder, { encoding: "latin1" })) {
    const path = Buffer.concat([folder, Buffer.from(`/${entry.name}`, "latin1")]);
    if (entry.isDirectory()) await removeLinks(path, signal);
    else if (!entry.isFile()) await unlink(path);
  }
}

/** Writes the file that the pod's waiting container looks for; what a backup brought along of such files goes first. */
export async function markComplete(volume: string, restoreUid: string): Promise<void> {
  const folder = join(volume, markerFolder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o755 });
  await writeFile(join(folder, restoreUid), "");
}

/** The sizes of all files below a folder, added up; links are not followed. One folder is open at each level. */
export async function sizeOf(folder: string | Buffer, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  let bytes = 0;
  // Names are bytes: latin1 keeps those that are no UTF-8.
  for await (const entry of await opendir(folder, { encoding: "latin1" })) {
    const path = Buffer.concat([Buffer.from(folder), Buffer.from(`/${entry.name}`, "latin1")]);
    if (entry.isDirectory()) bytes += await sizeOf(path, signal);
    else if (entry.isFile()) bytes += (await lstat(path)).size;
  }
  return bytes;
}
