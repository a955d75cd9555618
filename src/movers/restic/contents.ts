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
import { readObject } from "../numbers.ts";
import { placeText } from "../place.ts";
import type { Program } from "../program.ts";
import { runUntil } from "../program.ts";
import type { Ended } from "../spawn.ts";
import { atLeast } from "../version.ts";
import { archiveArgs, diffArgs, dumpArgs, lsArgs, treeArgs } from "./args.ts";
import { changeOf, listedEntry, storedEntry } from "./parse-contents.ts";

/** Reading what snapshots of restic hold. */
export class ResticContents implements ContentsReader {
  readonly #program: Program;
  readonly #version: (signal?: AbortSignal) => Promise<string>;

  constructor(program: Program, version: (signal?: AbortSignal) => Promise<string>) {
    this.#program = program;
    this.#version = version;
  }

  list(request: ListRequest, signal?: AbortSignal): Promise<Listing> {
    return listed(this.#scan, request, signal);
  }

  find(at: SnapshotPath, signal?: AbortSignal): Promise<FileEntry | undefined> {
    return found(this.#scan, at, signal);
  }

  async read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    const { bytes } = await demanded(this.#scan, request, "file", signal);
    const { onData, check } = countedTo(request.onData, request, bytes);
    await this.#stream(request, dumpArgs(request.snapshotId, request.path), onData, signal);
    check();
  }

  async archive(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    const { snapshotId, path, onData } = request;
    const version = await this.#version(signal);
    if (path !== "/" && !atLeast(version, 0, 17)) {
      const what = `restic ${version} gives no folder of a snapshot as tar, only the whole of it; 0.17 and newer can`;
      throw new AppError("MOVER_ARGUMENT", what, { retry: false });
    }
    await demanded(this.#scan, request, "folder", signal);
    await this.#stream(request, archiveArgs(snapshotId, path), onData, signal);
  }

  async diff({ repository, from, to, onChange }: DiffRequest, signal?: AbortSignal): Promise<void> {
    const run = await this.#program.prepared(repository, diffArgs(from, to), signal);
    const onOut = (line: string) => {
      const change = changeOf(line);
      if (change) onChange(change);
    };
    const end = await this.#program.ended({ ...run, onOut }, signal);
    if (end.exitCode !== 0) throw this.#program.failed(repository, `compare ${from} with ${to}`, end);
  }

  async #stream(
    { repository, snapshotId, path }: ReadRequest,
    args: readonly string[],
    onData: (chunk: Uint8Array) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const run = await this.#program.prepared(repository, args, signal);
    const end = await this.#program.ended({ ...run, onData }, signal);
    if (end.exitCode !== 0) throw this.#program.failed(repository, `read "${path}" of ${snapshotId}`, end);
  }

  /** A folder as it is stored is at hand at once; `ls`, which older versions need, reads all of it first. */
  readonly #scan: Scan = async (at, take, signal) => {
    if (atLeast(await this.#version(signal), 0, 17)) await this.#scanTree(at, take, signal);
    else await this.#scanLines(at, take, signal);
  };

  readonly #scanTree: Scan = async (at, take, signal) => {
    const run = await this.#program.prepared(at.repository, treeArgs(at.snapshotId, at.path), signal);
    const cutter = new EntryCutter((text) => take(() => storedEntry(text)));
    const end = await runUntil(run, (chunk) => cutter.push(chunk), signal);
    if (end !== undefined && end.exitCode !== 0) throw this.#refusal(at, end);
  };

  readonly #scanLines: Scan = async (at, take, signal) => {
    const { repository, snapshotId, path } = at;
    const run = await this.#program.prepared(repository, lsArgs(snapshotId, path), signal);
    const seen = { snapshot: false, itself: path === "/" ? "dir" : "" };
    const stop = new AbortController();
    const enough = new Error("enough was read");
    const onOut = (line: string) => {
      if (stop.signal.aborted) return;
      const said = readObject(line);
      if (said?.["struct_type"] === "snapshot") seen.snapshot = true;
      if (said?.["struct_type"] !== "node") return;
      if (said["path"] === path) seen.itself = String(said["type"]);
      else if (take(() => listedEntry(said))) stop.abort(enough);
    };
    const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const end = await this.#program.ended({ ...run, onOut }, either).catch((error: unknown) => {
      if (error === enough) return undefined;
      throw error;
    });
    if (end === undefined) return;
    if (end.exitCode !== 0) throw this.#refusal(at, end);
    // Before 0.17 a snapshot that is not there is passed over with a remark.
    if (!seen.snapshot) throw noSnapshot(at);
    if (seen.itself !== "dir") throw notThere(at, true);
  };

  #refusal(at: SnapshotPath, end: Ended): AppError {
    if (/^(?:Fatal: )?path .*: (?:not found|not a directory)$/ms.test(end.errTail)) return notThere(at, true);
    return this.#program.failed(at.repository, `read a folder of ${at.snapshotId}`, end);
  }
}

function noSnapshot({ snapshotId, repository }: SnapshotPath): AppError {
  const where = placeText(repository.place);
  return new AppError("MOVER_SNAPSHOT", `there is no snapshot ${snapshotId} in ${where}`, { retry: false });
}
