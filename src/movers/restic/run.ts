import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, isCode } from "../../errors.ts";
import { sizeOf, trimCache } from "../cache.ts";
import type { ContentsReader } from "../contents/reader.ts";
import { explain } from "../failure.ts";
import { checkFolder } from "../folder.ts";
import { notListed, type OnSnapshot } from "../listing.ts";
import type {
  ActionMover,
  BackupRequest,
  BackupResult,
  Freed,
  MaintainRequest,
  Measured,
  MoverOptions,
  OnProgress,
  Repository,
  RestoreRequest,
  RestoreResult,
} from "../mover.ts";
import { readObject } from "../numbers.ts";
import { environment, placeText } from "../place.ts";
import { writePlaceFiles } from "../place-files.ts";
import type { Program } from "../program.ts";
import { capture, type Ended, type Run, run } from "../spawn.ts";
import { atLeast } from "../version.ts";
import type { OnLook } from "../vitals.ts";
import {
  backupArgs,
  findArgs,
  forgetArgs,
  globalArgs,
  placeVariables,
  repositoryUrl,
  restoreArgs,
  statsArgs,
} from "./args.ts";
import { ResticContents } from "./contents.ts";
import { exits, words } from "./failure.ts";
import { listed } from "./listed.ts";
import * as parse from "./parse.ts";

/** Reasons kept of files that could not be read. */
const unreadKept = 20;
const defaultCacheBytes = 5_000_000_000;

/** The restic program, 0.14 or newer. */
export class Restic implements ActionMover {
  readonly kind = "restic";
  readonly #options: MoverOptions;
  readonly #contents: ResticContents;
  #version: string | undefined;
  /**
   * Repositories in which no process of ours can have left its lock: freed of the dead once in this life, and after each
   * run that was killed. Bounded by the repositories in use.
   */
  readonly #swept = new Set<string>();

  constructor(options: MoverOptions) {
    this.#options = options;
    this.#contents = new ResticContents(this.#program, (signal) => this.version(signal));
  }

  async version(signal?: AbortSignal): Promise<string> {
    if (this.#version !== undefined) return this.#version;
    const { program } = this.#options;
    const end = await capture(
      { program, args: ["version"], env: environment(undefined, process.env) },
      signal,
    );
    const version = end.exitCode === 0 ? parse.parseVersion(end.out) : undefined;
    if (version === undefined) {
      throw new AppError("MOVER_OUTPUT", `"${program} version" does not say which restic it is`, {
        retry: false,
      });
    }
    this.#version = version;
    return version;
  }

  async ensureRepository(repository: Repository, signal?: AbortSignal): Promise<void> {
    try {
      await this.openRepository(repository, signal);
    } catch (error) {
      // Only "there is none" may end in a new one; init itself refuses when another process was faster.
      if (!isCode(error, "MOVER_REPOSITORY_MISSING")) throw error;
      await this.#init(repository, signal);
    }
  }

  async openRepository(repository: Repository, signal?: AbortSignal): Promise<void> {
    await this.#ask(repository, "open the repository", ["cat", "config"], signal);
  }

  async backup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult> {
    await checkFolder(request.path);
    let summary: parse.Summary | undefined;
    const unread: string[] = [];
    const older = request.parallel !== undefined && !atLeast(await this.version(signal), 0, 15);
    const what = await this.#run(request.repository, backupArgs(request, !older));
    await this.#sweep(request.repository, signal);
    const end = await this.#end(
      request.repository,
      what,
      {
        cwd: request.path,
        onLook: request.onLook,
        onOut(line) {
          const message = readObject(line);
          const sample = parse.backupSample(message);
          if (sample !== undefined) request.onProgress?.(sample);
          else summary = parse.backupSummary(message) ?? summary;
        },
        onErr(line) {
          const why = parse.parseFileError(line);
          if (why !== undefined && unread.length < unreadKept) unread.push(why);
        },
      },
      signal,
    );
    if (end.exitCode === 1 && /snapshot is empty/.test(end.errTail)) return { bytes: 0, incrementalBytes: 0 };
    // 3: the snapshot is there, without the files that could not be read.
    if (end.exitCode !== 0 && !(end.exitCode === 3 && summary?.snapshotId !== undefined)) {
      throw this.#failed(request.repository, `back up "${request.path}"`, end);
    }
    if (summary === undefined) throw noSummary(`backup of "${request.path}"`);
    if (end.exitCode === 3 && unread.length === 0) unread.push("restic does not say which files");
    return {
      bytes: summary.bytes,
      ...(summary.snapshotId !== undefined && { snapshotId: summary.snapshotId }),
      ...(summary.addedBytes !== undefined && { incrementalBytes: summary.addedBytes }),
      ...(summary.storedBytes !== undefined && { storedBytes: summary.storedBytes }),
      ...(summary.files !== undefined && { files: summary.files }),
      ...(unread.length > 0 && { unread }),
    };
  }

  async restore(request: RestoreRequest, signal?: AbortSignal): Promise<RestoreResult> {
    await checkFolder(request.path);
    const { repository, snapshotId, path } = request;
    const version = await this.version(signal);
    const speaks = atLeast(version, 0, 17);
    const total =
      request.totalBytes ?? (speaks ? undefined : await this.snapshotBytes(repository, snapshotId, signal));
    const what = await this.#run(
      repository,
      restoreArgs(request, { speaks, sparse: atLeast(version, 0, 15) }),
    );
    await this.#sweep(repository, signal);
    let summary: { readonly bytes: number } | undefined;
    const { onProgress } = request;
    const measure =
      speaks || onProgress === undefined || total === undefined
        ? undefined
        : written(this.#cacheDir(), await sizeOf(this.#cacheDir()), total, onProgress);
    const end = await this.#end(
      repository,
      what,
      {
        cwd: path,
        onLook(look, pid) {
          request.onLook?.(look, pid);
          measure?.(look, pid);
        },
        onOut(line) {
          const message = readObject(line);
          const sample = parse.restoreSample(message);
          if (sample !== undefined) request.onProgress?.(sample);
          else summary = parse.restoreSummary(message) ?? summary;
        },
      },
      signal,
    );
    if (end.exitCode !== 0) throw this.#failed(repository, `restore ${snapshotId} to "${path}"`, end);
    if (speaks && summary === undefined) throw noSummary(`restore of ${snapshotId}`);
    // restic 0.14 tells errors of single files and ends with 0 all the same.
    const errors = /^(?:There were|ignoring error|error for)/im.test(end.errTail);
    if (!speaks && errors)
      throw this.#failed(repository, `restore ${snapshotId} to "${path}" completely`, end);
    return { bytes: summary?.bytes ?? total ?? 0 };
  }

  async snapshotBytes(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<number> {
    return (await this.#stats(repository, snapshotId, statsArgs(snapshotId), signal)).bytes;
  }

  async findTagged(repository: Repository, tag: string, signal?: AbortSignal): Promise<string> {
    const found = await this.#ask(repository, `find "${tag}"`, findArgs(tag), signal);
    const id = parse.parseNewest(found);
    if (id !== undefined) return id;
    const where = placeText(repository.place);
    throw new AppError("MOVER_SNAPSHOT", `no snapshot in ${where} has the tag "${tag}"`, { retry: false });
  }

  measure(repository: Repository, snapshotId: string, mode: string, signal?: AbortSignal): Promise<Measured> {
    return this.#stats(repository, snapshotId, statsArgs(snapshotId, mode), signal);
  }

  async #stats(
    repository: Repository,
    snapshotId: string,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<Measured> {
    await this.#sweep(repository, signal);
    const out = await this.#ask(repository, `measure ${snapshotId}`, args, signal);
    const stats = parse.parseStats(out);
    if (stats === undefined) {
      throw new AppError("MOVER_OUTPUT", `restic stats ${snapshotId} gave no total size`);
    }
    if (stats.snapshots === 0) {
      const where = placeText(repository.place);
      throw new AppError("MOVER_SNAPSHOT", `there is no snapshot ${snapshotId} in ${where}`, {
        retry: false,
      });
    }
    return stats;
  }

  async snapshots(repository: Repository, each: OnSnapshot, signal?: AbortSignal): Promise<void> {
    const what = await this.#run(repository, ["list", "snapshots", "--no-lock", "--quiet"]);
    let strange: string | undefined;
    const onOut = (line: string) => {
      const one = listed(line);
      if (one !== undefined) each(one);
      else if (line.trim() !== "") strange ??= line;
    };
    const end = await this.#watched(repository, () => run({ ...what, onOut }, signal));
    if (end.exitCode !== 0) throw this.#failed(repository, "list the snapshots", end);
    if (strange !== undefined) throw notListed(this.kind, placeText(repository.place), strange);
  }

  async forget(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<void> {
    const args = forgetArgs(snapshotId);
    await this.#sweep(repository, signal);
    await this.#ask(repository, `forget ${snapshotId}`, args, signal);
  }

  async unlock(repository: Repository, signal?: AbortSignal): Promise<void> {
    await this.#ask(repository, "remove stale locks", ["unlock"], signal);
  }

  async maintain({ repository }: MaintainRequest, signal?: AbortSignal): Promise<void> {
    await this.#ask(repository, "prune", ["prune"], signal);
  }

  async reclaim(repository: Repository, signal?: AbortSignal): Promise<Freed> {
    return { words: parse.parseFreed(await this.#ask(repository, "prune", ["prune"], signal)) };
  }

  readonly list: ContentsReader["list"] = (asked, signal) => this.#contents.list(asked, signal);
  readonly find: ContentsReader["find"] = (asked, signal) => this.#contents.find(asked, signal);
  readonly read: ContentsReader["read"] = (asked, signal) => this.#contents.read(asked, signal);
  readonly archive: ContentsReader["archive"] = (asked, signal) => this.#contents.archive(asked, signal);
  readonly diff: ContentsReader["diff"] = (asked, signal) => this.#contents.diff(asked, signal);

  /** What the other parts of this mover are given. */
  get #program(): Program {
    return {
      prepared: async (repository, args) => {
        await this.#trim(repository);
        return await this.#run(repository, args);
      },
      ended: run,
      ask: (repository, verb, args, signal) => this.#ask(repository, verb, args, signal),
      failed: (repository, verb, end) => this.#failed(repository, verb, end),
    };
  }

  /**
   * Removes what dead processes left, by restic's own rule: a lock goes when its process is gone on this host, or when
   * nobody has renewed it for 30 minutes. A living restic renews its lock every 5, so none of those is touched.
   */
  async #sweep(repository: Repository, signal?: AbortSignal): Promise<void> {
    const url = repositoryUrl(repository.place);
    if (this.#swept.has(url)) return;
    try {
      await this.unlock(repository, signal);
      this.#swept.add(url);
    } catch {
      signal?.throwIfAborted(); // else the run that follows meets the same trouble, and tells it
    }
  }

  async #init(repository: Repository, signal?: AbortSignal): Promise<void> {
    const { place } = repository;
    if (place.kind === "filesystem") await mkdir(place.path, { recursive: true });
    try {
      await this.#ask(repository, "make the repository", ["init"], signal);
    } catch (error) {
      if (
        !(error instanceof AppError && /config file already exists|already initialized/.test(error.message))
      )
        throw error;
      await this.openRepository(repository, signal);
    }
  }

  async #ask(
    repository: Repository,
    verb: string,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<string> {
    const what = await this.#run(repository, args);
    const end = await this.#watched(repository, () => capture(what, signal));
    if (end.exitCode !== 0) throw this.#failed(repository, verb, end);
    return end.out;
  }

  async #end(repository: Repository, what: Run, more: Partial<Run>, signal?: AbortSignal): Promise<Ended> {
    await this.#trim(repository);
    return await this.#watched(repository, () => run({ ...what, ...more }, signal));
  }

  async #trim({ cacheBytes = this.#options.cacheBytes ?? defaultCacheBytes }: Repository): Promise<void> {
    await trimCache(this.#cacheDir(), cacheBytes);
  }

  /** Remembers when a process may have left its lock: it was killed, by whomever. */
  async #watched<E extends Ended>({ place }: Repository, work: () => Promise<E>): Promise<E> {
    try {
      const end = await work();
      if (end.killedBy !== undefined) this.#swept.delete(repositoryUrl(place));
      return end;
    } catch (error) {
      this.#swept.delete(repositoryUrl(place));
      throw error;
    }
  }

  async #run({ place, password }: Repository, args: readonly string[]): Promise<Run> {
    const { program, scratch, owner, witness } = this.#options;
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const { caFile, keyFile } = await writePlaceFiles(join(scratch, "places"), place);
    return {
      program,
      args: [...globalArgs(place, this.#cacheDir(), caFile), ...args],
      env: {
        ...environment(place, process.env),
        ...placeVariables(place, keyFile),
        HOME: scratch,
        // Lines a second; without it restic writes sixty when its output is a pipe.
        RESTIC_PROGRESS_FPS: "4",
        ...(owner !== undefined && { HEADWAY_OWNER: owner }),
      },
      // As the password file of upstream: what ends the line does not belong to it.
      input: `${password.trim()}\n`,
      ...(witness && { witness }),
    };
  }

  #cacheDir(): string {
    return join(this.#options.scratch, "restic-cache");
  }

  #failed(repository: Repository, verb: string, end: Ended): AppError {
    const lines = end.errTail.split("\n");
    const last = lines.map(parse.parseExitError).findLast((words) => words !== undefined);
    // "There were 3 errors" says nothing; the first of them does.
    const first = lines.map(parse.parseFileError).find((words) => words !== undefined);
    const message = last !== undefined && first !== undefined ? `${last.trim()}: ${first}` : last;
    return explain({
      kind: this.kind,
      verb,
      where: placeText(repository.place),
      words,
      exits,
      ...end,
      message,
    });
  }
}

/**
 * What an old restic, which says nothing in a restore, has written so far. It makes its files at their full size at once, so
 * neither sizes nor blocks tell: the bytes that the process wrote do, without those that went into its cache.
 */
function written(cacheDir: string, cachedBefore: number, total: number, onProgress: OnProgress): OnLook {
  const tell = async (writtenBytes: number) => {
    const done = writtenBytes - Math.max(0, (await sizeOf(cacheDir)) - cachedBefore);
    if (done > 0) onProgress({ unit: "bytes", done: Math.min(done, total), total });
  };
  return ({ writtenBytes }) => void tell(writtenBytes);
}

function noSummary(what: string): AppError {
  return new AppError("MOVER_OUTPUT", `restic ended the ${what} with exit 0 and without a summary`);
}
