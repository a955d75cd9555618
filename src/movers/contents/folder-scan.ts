import { posix } from "node:path";
import { AppError } from "../../errors.ts";
import { shown } from "../numbers.ts";
import type { FileEntry, Listing, ListRequest, SnapshotPath } from "./reader.ts";

/** Walks over the entries of one folder until `take` has enough. An entry is read only when it is asked for. */
export type Scan = (
  at: SnapshotPath,
  take: (read: () => FileEntry | undefined) => boolean,
  signal?: AbortSignal,
) => Promise<void>;

/** A page of a folder: what is before it is passed over unread, what is after it not waited for. */
export async function listed(
  scan: Scan,
  { skip = 0, limit, ...at }: ListRequest,
  signal?: AbortSignal,
): Promise<Listing> {
  const entries: FileEntry[] = [];
  const read = { entries: 0, isMore: false };
  await scan(
    at,
    (next) => {
      read.entries += 1;
      if (read.entries <= skip) return false;
      if (read.entries > skip + limit) {
        read.isMore = true;
        return true;
      }
      const entry = next();
      if (entry) entries.push(entry);
      return false;
    },
    signal,
  );
  return { entries, ...(read.isMore && { next: skip + limit }) };
}

/** The entry of a path, looked for in the folder above it. */
export async function found(
  scan: Scan,
  at: SnapshotPath,
  signal?: AbortSignal,
): Promise<FileEntry | undefined> {
  if (at.path === "/") return { name: "", type: "folder" };
  const name = posix.basename(at.path);
  let entry: FileEntry | undefined;
  try {
    await scan(
      { ...at, path: posix.dirname(at.path) },
      (read) => {
        const next = read();
        if (next?.name === name) entry = next;
        return entry !== undefined;
      },
      signal,
    );
  } catch (error) {
    if (error instanceof AppError && error.code === "SNAPSHOT_PATH") return undefined;
    throw error;
  }
  return entry;
}

/** The entry of a path that has to be there, and of this type. */
export async function demanded(
  scan: Scan,
  at: SnapshotPath,
  type: "file" | "folder",
  signal?: AbortSignal,
): Promise<FileEntry> {
  const entry = await found(scan, at, signal);
  if (entry === undefined) throw notThere(at);
  if (entry.type === type) return entry;
  const leads = entry.type === "link" ? ", and links are not followed" : "";
  throw new AppError(
    "SNAPSHOT_PATH",
    `"${shown(at.path)}" in snapshot ${at.snapshotId} is a ${typeWords[entry.type]}, not a ${type}${leads}`,
    { retry: false },
  );
}

const typeWords = { file: "file", folder: "folder", link: "link", other: "pipe, socket or device" } as const;

/** The snapshot has nothing under that path, or no folder. */
export function notThere({ path, snapshotId }: Omit<SnapshotPath, "repository">, folder = false): AppError {
  const what = folder ? "no folder" : "nothing";
  return new AppError("SNAPSHOT_PATH", `snapshot ${snapshotId} has ${what} at "${shown(path)}"`, {
    retry: false,
  });
}

/** The bytes of a file as they pass; fails at the end when they are not as many as the file has. */
export function countedTo(
  onData: (chunk: Uint8Array) => Promise<void>,
  at: SnapshotPath,
  wanted: number | undefined,
): { readonly onData: (chunk: Uint8Array) => Promise<void>; readonly check: () => void } {
  let bytes = 0;
  return {
    async onData(chunk) {
      bytes += chunk.length;
      await onData(chunk);
    },
    check() {
      if (wanted === undefined || bytes === wanted) return;
      const what = `"${shown(at.path)}" has ${wanted} bytes in snapshot ${at.snapshotId}, and ${bytes} came`;
      throw new AppError("VOLUME_INCOMPLETE", what);
    },
  };
}
