import { constants, type Dirent, type Stats } from "node:fs";
import {
  chmod,
  copyFile,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  open,
  readdir,
  readlink,
  rm,
  symlink,
  utimes,
} from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** How files get into a snapshot. */
export type CopyMethod = "auto" | "reflink" | "copy" | "hardlink";

/** What copying a tree needs. */
export interface CopyOptions {
  readonly method: CopyMethod;
  /** Bytes a second; absent for as fast as it goes. */
  readonly bytesPerSecond?: number | undefined;
  /** Told how many bytes are there, files that were there already included. */
  readonly onBytes: (done: number) => void;
}

/** What was copied. */
export interface CopyResult {
  readonly bytes: number;
  readonly files: number;
  /** Sockets, pipes and devices: they have no content. */
  readonly left: number;
}

const chunkBytes = 1 << 20;
const isRoot = process.getuid?.() === 0;

/** The bytes of all files below a folder. */
export async function measureTree(root: string, signal: AbortSignal): Promise<number> {
  let bytes = 0;
  const seen = new Set<string>();
  for await (const { path, entry } of walk(root, "", signal)) {
    if (!entry.isFile()) continue;
    const stats = await lstat(path).catch(ignoreGone);
    if (stats && isFirst(stats, seen)) bytes += stats.size;
  }
  return bytes;
}

/**
 * Copies a tree: files with holes, links, owners, modes and times. What an earlier try has copied whole is kept; a file
 * that vanishes meanwhile is not in the copy.
 */
export async function copyTree(
  from: string,
  to: string,
  options: CopyOptions,
  signal: AbortSignal,
): Promise<CopyResult> {
  return new TreeCopy(from, to, options).run(signal);
}

class TreeCopy {
  readonly #from: string;
  readonly #to: string;
  readonly #options: CopyOptions;
  /** Inodes with several names, by where the first was put; bounded by such files. */
  readonly #linked = new Map<string, string>();
  #method: CopyMethod;
  #bytes = 0;
  #files = 0;
  #left = 0;

  constructor(from: string, to: string, options: CopyOptions) {
    this.#from = from;
    this.#to = to;
    this.#options = options;
    this.#method = options.method;
  }

  async run(signal: AbortSignal): Promise<CopyResult> {
    await mkdir(this.#to, { recursive: true, mode: 0o700 });
    const folders: { readonly path: string; readonly stats: Stats }[] = [];
    for await (const { path, relative, entry } of walk(this.#from, "", signal)) {
      const target = join(this.#to, relative);
      const stats = await lstat(path).catch(ignoreGone);
      if (!stats) continue;
      if (entry.isDirectory()) {
        await mkdir(target, { recursive: true, mode: 0o700 });
        folders.push({ path: target, stats });
      } else if (entry.isFile()) await this.#file(path, target, stats, signal);
      else if (entry.isSymbolicLink()) await this.#symlink(path, target, stats);
      else this.#left += 1;
    }
    // Writing into a folder changes its time, so the deepest come first and the root last.
    for (const { path, stats } of folders.toReversed()) await dress(path, stats);
    await dress(this.#to, await lstat(this.#from));
    return { bytes: this.#bytes, files: this.#files, left: this.#left };
  }

  async #file(path: string, target: string, stats: Stats, signal: AbortSignal): Promise<void> {
    const inode = `${stats.dev}/${stats.ino}`;
    const twin = stats.nlink > 1 ? this.#linked.get(inode) : undefined;
    if (twin !== undefined) {
      await rm(target, { force: true });
      await link(twin, target);
      return;
    }
    if (stats.nlink > 1) this.#linked.set(inode, target);
    this.#files += 1;
    const there = await lstat(target).catch(ignoreGone);
    if (there && isSame(there, stats)) return this.#count(stats.size);
    await rm(target, { force: true, recursive: true });
    try {
      await this.#content(path, target, stats, signal);
      if (this.#method !== "hardlink") await dress(target, stats);
    } catch (error) {
      if (!isGone(error)) throw error;
      await rm(target, { force: true }); // it vanished while it was read
    }
  }

  async #content(path: string, target: string, stats: Stats, signal: AbortSignal): Promise<void> {
    if (this.#method === "hardlink") {
      await link(path, target);
      return this.#count(stats.size);
    }
    if (this.#method !== "copy") {
      try {
        await copyFile(path, target, constants.COPYFILE_FICLONE_FORCE);
        return this.#count(stats.size);
      } catch (error) {
        if (this.#method === "reflink" || isGone(error)) throw error;
        this.#method = "copy"; // this file system has no reflinks
        await rm(target, { force: true });
      }
    }
    await this.#chunks(path, target, signal);
  }

  async #chunks(path: string, target: string, signal: AbortSignal): Promise<void> {
    const source = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const sink = await open(target, "wx", 0o600);
      try {
        const chunk = Buffer.allocUnsafe(chunkBytes);
        let at = 0;
        for (;;) {
          signal.throwIfAborted();
          const { bytesRead } = await source.read(chunk, 0, chunkBytes, at);
          if (bytesRead === 0) break;
          const piece = chunk.subarray(0, bytesRead);
          // Zeros stay a hole: the file has its length in the end.
          if (!isZero(piece)) await sink.write(piece, 0, bytesRead, at);
          at += bytesRead;
          this.#count(bytesRead);
          const rate = this.#options.bytesPerSecond;
          if (rate !== undefined) await wait((bytesRead / rate) * 1000, undefined, { signal });
        }
        await sink.truncate(at);
      } finally {
        await sink.close();
      }
    } finally {
      await source.close();
    }
  }

  async #symlink(path: string, target: string, stats: Stats): Promise<void> {
    await rm(target, { force: true, recursive: true });
    await symlink(await readlink(path), target);
    if (isRoot) await lchown(target, stats.uid, stats.gid);
    await lutimes(target, stats.atime, stats.mtime);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#options.onBytes(this.#bytes);
  }
}

/** Everything below a folder, each folder before what is in it. */
async function* walk(
  root: string,
  relative: string,
  signal: AbortSignal,
): AsyncGenerator<{ path: string; relative: string; entry: Dirent }> {
  signal.throwIfAborted();
  // A folder at a time is in memory, and its parents.
  const entries = await readdir(join(root, relative), { withFileTypes: true }).catch((error: unknown) => {
    if (relative === "" || !isGone(error)) throw error;
    return [];
  });
  for (const entry of entries) {
    const below = join(relative, entry.name);
    yield { path: join(root, below), relative: below, entry };
    if (entry.isDirectory()) yield* walk(root, below, signal);
  }
}

async function dress(path: string, { uid, gid, mode, atime, mtime }: Stats): Promise<void> {
  if (isRoot) await lchown(path, uid, gid);
  await chmod(path, mode & 0o7777);
  await utimes(path, atime, mtime);
}

function isSame(a: Stats, b: Stats): boolean {
  // Times of some file systems are coarser than those of others.
  return a.isFile() && a.size === b.size && Math.abs(a.mtimeMs - b.mtimeMs) < 1;
}

function isFirst(stats: Stats, seen: Set<string>): boolean {
  if (stats.nlink <= 1) return true;
  const inode = `${stats.dev}/${stats.ino}`;
  if (seen.has(inode)) return false;
  seen.add(inode);
  return true;
}

const zeros = Buffer.alloc(chunkBytes);

function isZero(piece: Uint8Array): boolean {
  return zeros.subarray(0, piece.length).equals(piece);
}

function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function ignoreGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
  return undefined;
}
