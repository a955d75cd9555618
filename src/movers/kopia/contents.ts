import { AppError } from "../../errors.ts";
import { EntryCutter } from "../contents/entry-cutter.ts";
import { countedTo, demanded, found, listed, notThere, type Scan } from "../contents/folder-scan.ts";
import type {
  ContentsReader,
  DiffRequest,
  FileEntry,
  Listing,
  ListRequest,
  ReadRequest,
  SnapshotPath,
} from "../contents/reader.ts";
import type { Repository } from "../mover.ts";
import { placeText } from "../place.ts";
import { type Program, runUntil } from "../program.ts";
import { archiveArgs, diffArgs, manifestArgs, showArgs } from "./args.ts";
import { parseManifest } from "./parse.ts";
import { DiffLines, folderHead, readEntry } from "./parse-contents.ts";

/** Snapshots whose topmost folder is remembered: a run of kopia for each is most of a second. */
const maxRoots = 1_000;

/**
 * Kopia writes an archive to a path only, and the output of a child of Node is a socket, which no path can open: `cat` makes a
 * pipe of it. The exit code of a pipeline is that of `cat`; kopia's own is said in the last line of standard error.
 */
const piped = `{ "$@"; echo "exit $?" >&2; } | cat`;
const pipedExit = /(?:^|\n)exit (\d+)$/;

/** Reading what snapshots of kopia hold. */
export class KopiaContents implements ContentsReader {
  readonly #program: Program;
  readonly #roots = new Map<string, string>();

  constructor(program: Program) {
    this.#program = program;
  }

  async list(request: ListRequest, signal?: AbortSignal): Promise<Listing> {
    if (request.path === "/") return await listed(this.#scan, request, signal);
    await this.#root(request.repository, request.snapshotId, signal);
    // A file can look like a stored folder: only the folder above knows what it is. Both are read at the same time.
    const [listing] = await Promise.all([
      listed(this.#scan, request, signal),
      demanded(this.#scan, request, "folder", signal),
    ]);
    return listing;
  }

  find(at: SnapshotPath, signal?: AbortSignal): Promise<FileEntry | undefined> {
    return found(this.#scan, at, signal);
  }

  async read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    const { repository, snapshotId, path } = request;
    const { bytes } = await demanded(this.#scan, request, "file", signal);
    const root = await this.#root(repository, snapshotId, signal);
    const run = await this.#program.prepared(repository, showArgs(root, path), signal);
    const { onData, check } = countedTo(request.onData, request, bytes);
    const end = await this.#program.ended({ ...run, onData }, signal);
    if (end.exitCode !== 0) throw this.#program.failed(repository, `read "${path}" of ${snapshotId}`, end);
    check();
  }

  async archive(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    const { repository, snapshotId, path, onData } = request;
    await demanded(this.#scan, request, "folder", signal);
    const run = await this.#program.prepared(repository, archiveArgs(snapshotId, path), signal);
    const args = ["-c", piped, "sh", run.program, ...run.args];
    const end = await this.#program.ended({ ...run, program: "/bin/sh", args, onData }, signal);
    const said = pipedExit.exec(end.errTail)?.[1];
    if (end.exitCode === 0 && said === "0") return;
    const ended = { ...end, ...(said !== undefined && { exitCode: Number(said) }) };
    throw this.#program.failed(repository, `read "${path}" of ${snapshotId} as tar`, {
      ...ended,
      errTail: end.errTail.replace(pipedExit, ""),
    });
  }

  async diff({ repository, from, to, onChange }: DiffRequest, signal?: AbortSignal): Promise<void> {
    const before = await this.#root(repository, from, signal);
    const after = await this.#root(repository, to, signal);
    if (before === after) return;
    const run = await this.#program.prepared(repository, diffArgs(before, after), signal);
    const reader = new DiffLines(onChange);
    const end = await this.#program.ended({ ...run, onOut: (line) => reader.push(line) }, signal);
    if (end.exitCode !== 0) throw this.#program.failed(repository, `compare ${from} with ${to}`, end);
  }

  readonly #scan: Scan = async (at, take, signal) => {
    const { repository, snapshotId, path } = at;
    const root = await this.#root(repository, snapshotId, signal);
    const run = await this.#program.prepared(repository, showArgs(root, path), signal);
    const cutter = new EntryCutter((text) => take(() => readEntry(text)));
    let head = Buffer.alloc(0);
    let isFolder: boolean | undefined;
    const push = (chunk: Uint8Array): boolean => {
      if (isFolder === undefined) {
        head = Buffer.concat([head, chunk]);
        if (head.length < folderHead.length) return false;
        isFolder = head.subarray(0, folderHead.length).equals(folderHead);
        return !isFolder || cutter.push(head);
      }
      return cutter.push(chunk);
    };
    const end = await runUntil(run, push, signal);
    if (end !== undefined && end.exitCode !== 0) {
      if (/entry not found|is not a directory/.test(end.errTail)) throw notThere(at, true);
      throw this.#program.failed(repository, `read a folder of ${snapshotId}`, end);
    }
    if (isFolder !== true) throw notThere(at, true);
  };

  /** The object of a snapshot's topmost folder. */
  async #root(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<string> {
    const key = `${placeText(repository.place)} ${snapshotId}`;
    const known = this.#roots.get(key);
    if (known !== undefined) return known;
    const text = await this.#program.ask(repository, `read ${snapshotId}`, manifestArgs(snapshotId), signal);
    const root = parseManifest(text)?.root;
    if (!root) {
      const what = `${snapshotId} in ${placeText(repository.place)} is not a snapshot of files`;
      throw new AppError("MOVER_SNAPSHOT", what, { retry: false });
    }
    const [oldest] = this.#roots.keys();
    if (this.#roots.size >= maxRoots && oldest !== undefined) this.#roots.delete(oldest);
    this.#roots.set(key, root);
    return root;
  }
}
