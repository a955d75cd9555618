import { createHash, randomBytes } from "node:crypto";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { AppError, isCode } from "../../errors.ts";
import { repositoryAt } from "../argument-check.ts";
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
  Repository,
  RestoreRequest,
  RestoreResult,
} from "../mover.ts";
import { environment, placeText } from "../place.ts";
import { writePlaceFiles } from "../place-files.ts";
import type { Program } from "../program.ts";
import { capture, type Ended, type Run, run } from "../spawn.ts";
import {
  backupArgs,
  type Connection,
  findArgs,
  forgetArgs,
  globalArgs,
  manifestArgs,
  placeVariables,
  policyArgs,
  repositoryArgs,
  restoreArgs,
} from "./args.ts";
import { deviceInput, restoreDevice } from "./block.ts";
import { KopiaContents } from "./contents.ts";
import { words } from "./failure.ts";
import { listed } from "./listed.ts";
import * as parse from "./parse.ts";

/** Upstream's limit for the caches of one repository. */
const defaultCacheBytes = 5_000_000_000;

/** The kopia program, 0.19 or newer. */
export class Kopia implements ActionMover {
  readonly kind = "kopia";
  readonly #options: MoverOptions;
  readonly #contents: KopiaContents;

  constructor(options: MoverOptions) {
    this.#options = options;
    this.#contents = new KopiaContents(this.#program);
  }

  async version(signal?: AbortSignal): Promise<string> {
    const { program } = this.#options;
    const end = await capture(
      { program, args: ["--version"], env: environment(undefined, process.env) },
      signal,
    );
    const version = end.exitCode === 0 ? parse.parseVersion(end.out) : undefined;
    if (version !== undefined) return version;
    throw new AppError("MOVER_OUTPUT", `"${program} --version" does not say which kopia it is`, {
      retry: false,
    });
  }

  async ensureRepository(repository: Repository, signal?: AbortSignal): Promise<void> {
    const place = repositoryAt(repository.place);
    if (place.kind === "filesystem") await mkdir(place.path, { recursive: true });
    try {
      await this.#connect("connect", repository, signal);
    } catch (error) {
      // Only "there is none" may end in a new one; a place that cannot be read is not empty.
      if (!isCode(error, "MOVER_REPOSITORY_MISSING")) throw error;
      await this.#create(repository, signal);
    }
    const policy = await this.#ask(
      repository,
      "read the policy",
      ["policy", "show", "--global", "--json"],
      signal,
    );
    if (!parse.takesAll(policy)) await this.#ask(repository, "set the policy", policyArgs, signal);
  }

  openRepository(repository: Repository, signal?: AbortSignal): Promise<void> {
    return this.#connect("connect", repository, signal);
  }

  async backup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult> {
    const { repository, path, block } = request;
    if (block !== true) await checkFolder(path);
    const device = block === true ? await deviceInput(request) : undefined;
    let manifest: parse.Manifest | undefined;
    let cachedBytes = 0;
    let sentBytes: number | undefined;
    const what = await this.#run(repository, backupArgs(request), signal);
    const end = await run(
      {
        ...what,
        ...(device && { input: device.input }),
        onLook: request.onLook,
        onOut(line) {
          manifest = parse.parseManifest(line) ?? manifest;
        },
        onErr(line) {
          const said = parse.readLine(line);
          if (said?.direction !== "up") return;
          cachedBytes = said.cachedBytes ?? cachedBytes;
          sentBytes = said.sentBytes ?? sentBytes;
          if (!device) request.onProgress?.(said.progress, sentBytes);
        },
      },
      signal,
    );
    // Kopia ends with 1 when files could not be read, and keeps the snapshot of all the others.
    const partial = manifest !== undefined && manifest.id !== "" && manifest.failed > 0;
    if (end.exitCode !== 0 && !partial) throw this.#failed(repository, `back up "${path}"`, end);
    if (manifest === undefined || manifest.id === "" || manifest.incomplete !== undefined) {
      const why = manifest?.incomplete ?? "without a result";
      throw new AppError("MOVER_OUTPUT", `kopia ended the backup of "${path}" with exit 0, but ${why}`);
    }
    if (device && manifest.bytes !== device.totalBytes) {
      const what = `kopia stored ${manifest.bytes} of the ${device.totalBytes} bytes of "${path}"`;
      throw new AppError("VOLUME_INCOMPLETE", what);
    }
    const unread = manifest.errors.length > 0 ? manifest.errors : ["kopia does not say which files"];
    return {
      snapshotId: manifest.id,
      bytes: manifest.bytes,
      files: manifest.files,
      incrementalBytes: Math.max(0, manifest.bytes - cachedBytes),
      ...(sentBytes !== undefined && { storedBytes: sentBytes }),
      ...(partial && { unread }),
    };
  }

  async restore(request: RestoreRequest, signal?: AbortSignal): Promise<RestoreResult> {
    if (request.block === true) return { bytes: await restoreDevice(this.#program, request, signal) };
    if (request.below !== undefined) return this.#restoreBelow(request, request.below.subPath, signal);
    await checkFolder(request.path);
    return this.#restore(request, undefined, signal);
  }

  /** A snapshot has no path of its own in it: where it was taken is where it comes back, below the folder that is given. */
  async #restoreBelow(
    request: RestoreRequest,
    subPath: string,
    signal?: AbortSignal,
  ): Promise<RestoreResult> {
    const { repository, snapshotId, path } = request;
    const { path: origin, bytes } = await this.#manifest(repository, snapshotId, signal);
    const part = posix.join("/", subPath);
    const isWhole = part === "/" || part === origin;
    const target = subPath === "" ? posix.join(path, origin) : path;
    await mkdir(target, { recursive: true });
    const inner = part.startsWith(`${origin}/`) ? part.slice(origin.length) : part;
    const below = { subPath: isWhole ? "" : inner };
    return this.#restore({ ...request, path: target, below }, isWhole ? bytes : 0, signal);
  }

  async #restore(
    request: RestoreRequest,
    size: number | undefined,
    signal?: AbortSignal,
  ): Promise<RestoreResult> {
    const { repository, snapshotId, path, onProgress } = request;
    // A size that is known saves a run of kopia, which is most of a second of key derivation.
    const total = request.totalBytes ?? size ?? (await this.snapshotBytes(repository, snapshotId, signal));
    const what = await this.#run(repository, restoreArgs(request, process.getuid?.() === 0), signal);
    const onErr = (line: string) => {
      const done = parse.readLine(line)?.progress.done;
      if (done === undefined) return;
      // Its last line is rounded, up as well: past the exact size it would fall at the end.
      onProgress?.(
        total > 0 ? { unit: "bytes", done: Math.min(done, total), total } : { unit: "bytes", done },
      );
    };
    const end = await run({ ...what, onErr, onLook: request.onLook }, signal);
    // What is no snapshot is taken for the id of some object, which is not there either.
    if (end.errTail.includes(`unable to open object: ${snapshotId}:`)) {
      const where = placeText(repository.place);
      throw new AppError("MOVER_SNAPSHOT", `there is no snapshot ${snapshotId} in ${where}`, {
        retry: false,
      });
    }
    if (end.exitCode !== 0) throw this.#failed(repository, `restore ${snapshotId} to "${path}"`, end);
    if (!/^Restored \d+ files/m.test(end.errTail)) {
      throw new AppError(
        "MOVER_OUTPUT",
        `kopia ended the restore of ${snapshotId} with exit 0, but without a result`,
      );
    }
    return { bytes: total };
  }

  async snapshotBytes(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<number> {
    return (await this.#manifest(repository, snapshotId, signal)).bytes;
  }

  async findTagged(repository: Repository, tag: string, signal?: AbortSignal): Promise<string> {
    const found = await this.#ask(repository, `find "${tag}"`, findArgs(tag), signal);
    const id = parse.parseNewest(found);
    if (id !== undefined) return id;
    const where = placeText(repository.place);
    throw new AppError("MOVER_SNAPSHOT", `no snapshot in ${where} has the tag "${tag}"`, { retry: false });
  }

  /** Kopia knows one way to measure: what a restore would write. */
  measure(
    repository: Repository,
    snapshotId: string,
    _mode: string,
    signal?: AbortSignal,
  ): Promise<Measured> {
    return this.#manifest(repository, snapshotId, signal);
  }

  async #manifest(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<parse.Manifest> {
    const args = manifestArgs(snapshotId);
    const manifest = parse.parseManifest(await this.#ask(repository, `read ${snapshotId}`, args, signal));
    if (manifest !== undefined) return manifest;
    throw new AppError("MOVER_OUTPUT", `${snapshotId} in ${placeText(repository.place)} is not a snapshot`);
  }

  async snapshots(repository: Repository, each: OnSnapshot, signal?: AbortSignal): Promise<void> {
    const what = await this.#run(repository, ["manifest", "list", "--filter=type:snapshot"], signal);
    let strange: string | undefined;
    const onOut = (line: string) => {
      const one = listed(line);
      if (one !== undefined) each(one);
      else if (line.trim() !== "") strange ??= line;
    };
    const end = await run({ ...what, onOut }, signal);
    if (end.exitCode !== 0) throw this.#failed(repository, "list the snapshots", end);
    if (strange !== undefined) throw notListed(this.kind, placeText(repository.place), strange);
  }

  async forget(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.#ask(repository, `forget ${snapshotId}`, forgetArgs(snapshotId), signal);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "MOVER_SNAPSHOT")) throw error;
    }
  }

  /** Kopia has no locks. */
  unlock(): Promise<void> {
    return Promise.resolve();
  }

  async maintain({ repository, quick = false }: MaintainRequest, signal?: AbortSignal): Promise<void> {
    const depth = quick ? "--no-full" : "--full";
    await this.#ask(repository, "run maintenance", ["maintenance", "run", depth], signal);
  }

  async reclaim(repository: Repository, signal?: AbortSignal): Promise<Freed> {
    const taken = async () =>
      parse.parseTaken(await this.#ask(repository, "measure the store", ["blob", "stats", "--raw"], signal));
    const before = await taken();
    // Maintenance is its owner's right, and the owner may have been a pod that is gone.
    await this.#ask(repository, "take maintenance over", ["maintenance", "set", "--owner=me"], signal);
    const run = ["maintenance", "run", "--full", "--safety=none"];
    await this.#ask(repository, "run maintenance", run, signal);
    return { bytes: Math.max(0, before - (await taken())) };
  }

  readonly list: ContentsReader["list"] = (asked, signal) => this.#contents.list(asked, signal);
  readonly find: ContentsReader["find"] = (asked, signal) => this.#contents.find(asked, signal);
  readonly read: ContentsReader["read"] = (asked, signal) => this.#contents.read(asked, signal);
  readonly archive: ContentsReader["archive"] = (asked, signal) => this.#contents.archive(asked, signal);
  readonly diff: ContentsReader["diff"] = (asked, signal) => this.#contents.diff(asked, signal);

  async #create(repository: Repository, signal?: AbortSignal): Promise<void> {
    try {
      await this.#connect("create", repository, signal);
    } catch (error) {
      // Another process was faster: its repository is the one.
      if (!isCode(error, "MOVER_REPOSITORY_THERE")) throw error;
      await this.#connect("connect", repository, signal);
    }
  }

  /** A connection is a file. It is written beside and moved, since a connect that fails removes the file it was given. */
  async #connect(verb: "connect" | "create", repository: Repository, signal?: AbortSignal): Promise<void> {
    const connection = await this.#files(repository);
    const config = `${connection.config}.${randomBytes(6).toString("hex")}`;
    try {
      const args = [...globalArgs(config), ...repositoryArgs(verb, repository.place, connection)];
      const end = await capture(this.#spec(repository, args, connection.caFile), signal);
      if (end.exitCode !== 0) throw this.#failed(repository, `${verb} the repository`, end);
      await rename(config, connection.config);
    } finally {
      for (const ending of ["", ".mlock"]) await rm(config + ending, { force: true });
    }
  }

  /** What the other parts of this mover are given. */
  get #program(): Program {
    return {
      prepared: (repository, args, signal) => this.#run(repository, args, signal),
      ended: run,
      ask: (repository, verb, args, signal) => this.#ask(repository, verb, args, signal),
      failed: (repository, verb, end) => this.#failed(repository, verb, end),
    };
  }

  async #ask(
    repository: Repository,
    verb: string,
    args: readonly string[],
    signal?: AbortSignal,
  ): Promise<string> {
    const end = await capture(await this.#run(repository, args, signal), signal);
    if (end.exitCode !== 0) throw this.#failed(repository, verb, end);
    return end.out;
  }

  async #run(repository: Repository, args: readonly string[], signal?: AbortSignal): Promise<Run> {
    const { config, caFile } = await this.#files(repository);
    const connected = await access(config).then(
      () => true,
      () => false,
    );
    if (!connected) await this.#connect("connect", repository, signal);
    return this.#spec(repository, [...globalArgs(config), ...args], caFile);
  }

  #spec({ place, password }: Repository, args: readonly string[], caFile: string | undefined): Run {
    const { program, scratch, owner, witness } = this.#options;
    return {
      program,
      args,
      ...(witness && { witness }),
      env: {
        ...environment(place, process.env),
        ...placeVariables(place, caFile),
        HOME: scratch,
        KOPIA_PASSWORD: password.trim(),
        KOPIA_CHECK_FOR_UPDATES: "false",
        ...(owner !== undefined && { HEADWAY_OWNER: owner }),
      },
    };
  }

  /** Named after all that makes the connection, keys included: new keys make a new one. */
  async #files(repository: Repository): Promise<Connection> {
    const { scratch } = this.#options;
    const { place, cacheBytes = this.#options.cacheBytes ?? defaultCacheBytes } = repository;
    const name = createHash("sha256").update(JSON.stringify(repository)).digest("hex").slice(0, 32);
    const folder = join(scratch, "kopia");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { caFile, keyFile } = await writePlaceFiles(join(folder, "places"), place);
    return {
      config: join(folder, `${name}.config`),
      cache: join(folder, `${name}.cache`),
      caFile,
      keyFile,
      cacheBytes,
    };
  }

  #failed(repository: Repository, verb: string, end: Ended): AppError {
    return explain({ kind: this.kind, verb, where: placeText(repository.place), words, ...end });
  }
}
