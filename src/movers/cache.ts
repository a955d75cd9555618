import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Removes whole subfolders of a cache, the one used longest ago first, until it is within the limit. Movers fill it again. */
export async function trimCache(folder: string, limitBytes: number): Promise<void> {
  const kept: { path: string; bytes: number; usedMs: number }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const { bytes, usedMs } = await measure(path);
    kept.push({ path, bytes, usedMs });
  }
  let total = kept.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes } of kept.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (total <= limitBytes) return;
    await rm(path, { recursive: true, force: true });
    total -= bytes;
  }
}

/** What a cache takes now. */
export async function sizeOf(folder: string): Promise<number> {
  return (await measure(folder)).bytes;
}

async function measure(folder: string): Promise<{ bytes: number; usedMs: number }> {
  let bytes = 0;
  let usedMs = 0;
  // Packs of one repository, some thousands at most: the limit above bounds them.
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const facts = await stat(join(folder, name)).catch(() => undefined); // removed beside us
    if (facts?.isFile() !== true) continue;
    bytes += facts.size;
    usedMs = Math.max(usedMs, facts.mtimeMs);
  }
  return { bytes, usedMs };
}
