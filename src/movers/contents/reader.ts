import type { Repository } from "../mover.ts";

/** A file or folder in a snapshot. */
export interface SnapshotPath {
  readonly repository: Repository;
  readonly snapshotId: string;
  /** From the top of the snapshot: "/", "/a", "/a/b". */
  readonly path: string;
}

/** What a folder of a snapshot holds under one name. */
export interface FileEntry {
  /** Whatever the file system took: newlines and escape sequences too. What is not UTF-8 has U+FFFD in it. */
  readonly name: string;
  readonly type: "file" | "folder" | "link" | "other";
  /** Of files only. */
  readonly bytes?: number;
  /** As the mover writes it: RFC 3339. */
  readonly modified?: string;
  /** Permission bits. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Where a link leads, where the mover tells it. Nobody here follows it. */
  readonly target?: string;
}

/** A page of a folder. */
export interface ListRequest extends SnapshotPath {
  /** Entries before the page. A snapshot never changes, so a number is a place in it. */
  readonly skip?: number;
  /** Entries of the page at most: what is held in memory. */
  readonly limit: number;
}

/** The entries of a page in the order of the mover, which is the same each time. */
export interface Listing {
  readonly entries: readonly FileEntry[];
  /** What to skip for the next page; absent at the end. */
  readonly next?: number;
}

/** Takes bytes, one piece after the other; nothing more is read while its promise is open. */
type OnData = (chunk: Uint8Array) => Promise<void>;

/** A file to read, or a folder to read as tar. */
export interface ReadRequest extends SnapshotPath {
  readonly onData: OnData;
}

/** Two snapshots of one repository. */
export interface DiffRequest {
  readonly repository: Repository;
  readonly from: string;
  readonly to: string;
  /** Hears each difference in the content of files; times and owners alone are none. */
  readonly onChange: (change: FileChange) => void;
}

/** A file that is not the same in two snapshots. */
export interface FileChange {
  readonly path: string;
  readonly change: "added" | "removed" | "changed";
  readonly isFolder?: boolean;
}

/** Reading what snapshots hold. Nothing is written to the repository, no lock either. */
export interface ContentsReader {
  list(request: ListRequest, signal?: AbortSignal): Promise<Listing>;
  /** The entry of this path; undefined when the snapshot has none. */
  find(at: SnapshotPath, signal?: AbortSignal): Promise<FileEntry | undefined>;
  /** The bytes of a file. Links are not followed. */
  read(request: ReadRequest, signal?: AbortSignal): Promise<void>;
  /** A folder with all below it as tar; names begin below the folder. */
  archive(request: ReadRequest, signal?: AbortSignal): Promise<void>;
  diff(request: DiffRequest, signal?: AbortSignal): Promise<void>;
}
