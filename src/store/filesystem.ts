import { randomBytes } from "node:crypto";
import { constants, type Dirent } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError, type Code } from "../errors.ts";
import { chunksFrom, SourceFault } from "./chunks.ts";
import { checkFolder, checkKey, checkPrefix, partPrefix } from "./key.ts";
import type { Body, Entry, ListOptions, ObjectInfo, Store } from "./store.ts";

/**
 * A store in a folder: a key is a path below it.
 *
 * Unlike in S3 a name cannot be an object and a folder at once. Symbolic links are not followed as objects and not listed.
 */
export class FilesystemStore implements Store {
  readonly place: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.place = root;
  }

  async put(key: string, body: Body, signal?: AbortSignal): Promise<void> {
    const path = this.#path(checkKey(key));
    const part = join(dirname(path), partPrefix + randomBytes(9).toString("base64url"));
    try {
      await stat(this.#root); // nor is it one to be made anew, below the mount point
      const { file, made } = await create(part);
      try {
        await write(file, body, signal);
      } finally {
        await file.close();
      }
      signal?.throwIfAborted();
      await rename(part, path);
      // The rename, and each folder made for it, last only when the folders that name them are on the disk.
      for (let dir = dirname(path); ; dir = dirname(dir)) {
        await syncFolder(dir);
        if (made === undefined || dir.length < made.length) break;
      }
    } catch (error) {
      await rm(part, { force: true }).catch(() => undefined); // the first error is the one to tell
      throw this.#explain(error, "write", key, signal);
    }
  }

  async get(key: string, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const path = this.#path(checkKey(key));
    try {
      signal?.throwIfAborted();
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      const facts = await file.stat();
      if (!facts.isFile()) {
        await file.close();
        throw Object.assign(new Error("is a folder"), { code: "ENOENT" });
      }
      return this.#read(file, key, signal);
    } catch (error) {
      throw this.#explain(error, "read", key, signal);
    }
  }

  async head(key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> {
    try {
      signal?.throwIfAborted();
      const facts = await lstat(this.#path(checkKey(key)));
      return facts.isFile() ? { key, bytes: facts.size, modifiedAt: facts.mtime } : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw this.#explain(error, "look at", key, signal);
    }
  }

  async *list(prefix: string, options: ListOptions = {}, signal?: AbortSignal): AsyncGenerator<Entry> {
    checkPrefix(prefix);
    try {
      await stat(this.#root); // a location that is not mounted is not an empty one
      yield* this.#walk(prefix, options.delimiter !== undefined, signal);
    } catch (error) {
      throw this.#explain(error, "list", prefix, signal);
    }
  }

  async delete(key: string, signal?: AbortSignal): Promise<void> {
    const path = this.#path(checkKey(key));
    try {
      signal?.throwIfAborted();
      const facts = await lstat(path);
      if (facts.isFile()) await rm(path, { force: true });
      await this.#dropEmpty(dirname(path));
    } catch (error) {
      if (isAbsent(error)) return;
      throw this.#explain(error, "delete", key, signal);
    }
  }

  async deletePrefix(prefix: string, signal?: AbortSignal): Promise<number> {
    checkFolder(prefix);
    let count = 0;
    for await (const _entry of this.list(prefix, {}, signal)) count += 1;
    const path = this.#path(prefix);
    try {
      signal?.throwIfAborted();
      await rm(path, { recursive: true, force: true });
      await this.#dropEmpty(dirname(path));
      return count;
    } catch (error) {
      throw this.#explain(error, "delete", prefix, signal);
    }
  }

  /** A folder has no address of its own; who serves it must. */
  signedUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  #path(key: string): string {
    return join(this.#root, key);
  }

  async *#read(file: FileHandle, key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      const { size } = await file.stat();
      let left = size;
      while (left > 0) {
        signal?.throwIfAborted();
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, 1 << 18)));
        if (bytesRead === 0) throw new AppError("STORE_FAILED", `"${key}" in ${this.place} ended early`);
        left -= bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } catch (error) {
      throw this.#explain(error, "read", key, signal);
    } finally {
      await file.close();
    }
  }

  /** Holds the names of one folder per level, nothing more. */
  async *#walk(prefix: string, flat: boolean, signal?: AbortSignal): AsyncGenerator<Entry> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    for (const { name, isFolder } of await this.#names(folder)) {
      signal?.throwIfAborted();
      const key = folder + name;
      if (isFolder) {
        if (!`${key}/`.startsWith(prefix)) continue;
        if (!flat) yield* this.#walk(`${key}/`, flat, signal);
        else if (await this.#holdsObjects(`${key}/`)) yield { prefix: `${key}/` };
      } else if (key.startsWith(prefix)) {
        const object = await this.head(key, signal);
        if (object !== undefined) yield { object };
      }
    }
  }

  /** A folder left behind by a killed process is not a prefix of any object. */
  async #holdsObjects(folder: string): Promise<boolean> {
    for await (const _entry of this.#walk(folder, false)) return true;
    return false;
  }

  async #names(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
    let found: Dirent[];
    try {
      found = await readdir(this.#path(folder), { withFileTypes: true });
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
    return found
      .filter((d) => (d.isFile() || d.isDirectory()) && !d.name.startsWith(partPrefix))
      .map((d) => ({
        name: d.name,
        isFolder: d.isDirectory(),
        order: Buffer.from(d.name + (d.isDirectory() ? "/" : "")),
      }))
      .toSorted((a, b) => Buffer.compare(a.order, b.order));
  }

  /** S3 has no folders; neither do we once their last object is gone. */
  async #dropEmpty(dir: string): Promise<void> {
    for (let at = dir; at.length > this.#root.length; at = dirname(at)) {
      try {
        await rmdir(at);
      } catch {
        return; // not empty, or gone already: nothing is lost
      }
    }
  }

  #explain(error: unknown, verb: string, key: string, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    if (error instanceof SourceFault) return error.cause;
    if (error instanceof AppError) return error;
    const code = codeOf(error);
    const [kind, retry] = kinds[code ?? ""] ?? ["STORE_FAILED", true];
    const what = `cannot ${verb} "${key}" in ${this.place}`;
    if (code === undefined) return error;
    return new AppError(kind, `${what}: ${words[code] ?? code}`, { cause: error, retry });
  }
}

const kinds: Readonly<Record<string, readonly [Code, boolean]>> = {
  ENOENT: ["STORE_MISSING", true],
  ELOOP: ["STORE_MISSING", true],
  EACCES: ["STORE_DENIED", true],
  EPERM: ["STORE_DENIED", true],
  EROFS: ["STORE_DENIED", true],
  ENOSPC: ["STORE_FULL", true],
  EDQUOT: ["STORE_FULL", true],
  EFBIG: ["STORE_FULL", true],
  ESTALE: ["STORE_UNREACHABLE", true],
  ETIMEDOUT: ["STORE_UNREACHABLE", true],
  EHOSTDOWN: ["STORE_UNREACHABLE", true],
  ENOTCONN: ["STORE_UNREACHABLE", true],
  ENAMETOOLONG: ["STORE_KEY", false],
  ENOTDIR: ["STORE_KEY", false],
  EISDIR: ["STORE_KEY", false],
  EEXIST: ["STORE_KEY", false],
  ENOTEMPTY: ["STORE_KEY", false],
};

const words: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "a name is too long for the file system",
  ENOTDIR: "a part of the key is an object, not a folder",
  EISDIR: "there is a folder of this name",
  EEXIST: "a part of the key is an object, not a folder",
  ENOTEMPTY: "there is a folder of this name",
};

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** A delete beside us may drop the folder between mkdir and open, hence the second and third try. */
async function create(path: string): Promise<{ file: FileHandle; made: string | undefined }> {
  for (let tries = 1; ; tries += 1) {
    const made = await mkdir(dirname(path), { recursive: true });
    try {
      return { file: await open(path, "wx", 0o600), made };
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || tries === 3) throw error;
    }
  }
}

async function write(file: FileHandle, body: Body, signal: AbortSignal | undefined): Promise<void> {
  for await (const chunk of chunksFrom(body)) {
    signal?.throwIfAborted();
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, at);
      at += bytesWritten;
    }
  }
  await file.sync();
}

async function syncFolder(path: string): Promise<void> {
  const dir = await open(path, "r");
  try {
    await dir.sync();
  } finally {
    await dir.close();
  }
}
