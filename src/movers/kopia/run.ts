import { createHash, randomBytes } from "node:crypto";
import { access, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AppError, isCode } from "../../errors.ts";
import { repositoryAt } from "../argument-check.ts";
import { explain } from "../failure.ts";
import { checkFolder } from "../folder.ts";
import type {
  BackupRequest,
  BackupResult,
  Mover,
  MoverOptions,
  Repository,
  RestoreRequest,
  RestoreResult,
} from "../mover.ts";
import { environment, placeText } from "../place.ts";
import { capture, type Ended, type Run, run } from "../spawn.ts";
import {
  backupArgs,
  type Connection,
  forgetArgs,
  globalArgs,
  manifestArgs,
  policyArgs,
  repositoryArgs,
  restoreArgs,
} from "./args.ts";
import * as parse from "./parse.ts";

/** Upstream's limit for the caches of one repository. */
const defaultCacheBytes = 5_000_000_000;

/** The kopia program, 0.19 or newer. */
export class Kopia implements Mover {
  readonly kind = "kopia";
  readonly #options: MoverOptions;

  constructor(options: MoverOptions) {
    this.#options = options;
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

  async backup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult> {
    await checkFolder(request.path);
    const { repository, path } = request;
    let manifest: parse.Manifest | undefined;
    let cachedBytes = 0;
    const what = await this.#run(repository, backupArgs(request), signal);
    const end = await run(
      {
        ...what,
        onOut(line) {
          manifest = parse.parseManifest(line) ?? manifest;
        },
        onErr(line) {
          const sample = parse.parseBackupLine(line, parse.parseLeastSize);
          if (sample === undefined) return;
          const { cachedBytes: cached, ...rest } = sample;
          cachedBytes = cached;
          request.onProgress?.(rest);
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
    const unread = manifest.errors.length > 0 ? manifest.errors : ["kopia does not say which files"];
    return {
      snapshotId: manifest.id,
      bytes: manifest.bytes,
      incrementalBytes: Math.max(0, manifest.bytes - cachedBytes),
      ...(partial && { unread }),
    };
  }

  async restore(request: RestoreRequest, signal?: AbortSignal): Promise<RestoreResult> {
    await checkFolder(request.path);
    const { repository, snapshotId, path, onProgress } = request;
    // A size that is known saves a run of kopia, which is most of a second of key derivation.
    const total = request.totalBytes ?? (await this.snapshotBytes(repository, snapshotId, signal));
    const what = await this.#run(repository, restoreArgs(request, process.getuid?.() === 0), signal);
    const onErr = (line: string) => {
      const found = parse.parseRestoreLine(line, parse.parseLeastSize);
      if (found !== undefined) onProgress?.({ unit: "bytes", done: found.done, ...(total > 0 && { total }) });
    };
    const end = await run({ ...what, onErr }, signal);
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
    const args = manifestArgs(snapshotId);
    const manifest = parse.parseManifest(await this.#ask(repository, `read ${snapshotId}`, args, signal));
    if (manifest !== undefined) return manifest.bytes;
    throw new AppError("MOVER_OUTPUT", `${snapshotId} in ${placeText(repository.place)} is not a snapshot`);
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

  async maintain(repository: Repository, signal?: AbortSignal): Promise<void> {
    await this.#ask(repository, "run maintenance", ["maintenance", "run", "--full"], signal);
  }

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
      const end = await capture(this.#spec(repository, args), signal);
      if (end.exitCode !== 0) throw this.#failed(repository, `${verb} the repository`, end);
      await rename(config, connection.config);
    } finally {
      for (const ending of ["", ".mlock"]) await rm(config + ending, { force: true });
    }
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
    const { config } = await this.#files(repository);
    const connected = await access(config).then(
      () => true,
      () => false,
    );
    if (!connected) await this.#connect("connect", repository, signal);
    return this.#spec(repository, [...globalArgs(config), ...args]);
  }

  #spec({ place, password }: Repository, args: readonly string[]): Run {
    const { program, scratch, owner } = this.#options;
    return {
      program,
      args,
      env: {
        ...environment(place, process.env),
        HOME: scratch,
        KOPIA_PASSWORD: password.trim(),
        KOPIA_CHECK_FOR_UPDATES: "false",
        ...(owner !== undefined && { HEADWAY_OWNER: owner }),
      },
    };
  }

  /** Named after all that makes the connection, keys included: new keys make a new one. */
  async #files(repository: Repository): Promise<Connection> {
    const { scratch, cacheBytes = defaultCacheBytes } = this.#options;
    const { place } = repository;
    const name = createHash("sha256").update(JSON.stringify(repository)).digest("hex").slice(0, 32);
    const folder = join(scratch, "kopia");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const caCert = place.kind === "s3" ? place.caCert : undefined;
    const caFile = caCert === undefined ? undefined : join(folder, `${name}.pem`);
    if (caFile !== undefined) await writeFile(caFile, caCert ?? "");
    return {
      config: join(folder, `${name}.config`),
      cache: join(folder, `${name}.cache`),
      caFile,
      cacheBytes,
    };
  }

  #failed(repository: Repository, verb: string, end: Ended): AppError {
    return explain({ kind: this.kind, verb, where: placeText(repository.place), ...end });
  }
}
