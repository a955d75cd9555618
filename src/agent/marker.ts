import { lstat, mkdir, opendir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { markerFolder } from "../engines/podvolume/index.ts";

/** Whether an earlier life finished this volume of this restore. */
export async function isComplete(volume: string, restoreUid: string): Promise<boolean> {
  const facts = await stat(join(volume, markerFolder, restoreUid)).catch(() => undefined); // not there: not complete
  return facts?.isFile() ?? false;
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
