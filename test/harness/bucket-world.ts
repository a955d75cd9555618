import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import {
  type Mover,
  makeMover,
  type Place,
  type Repository,
  repositoryPlace,
  volumeSource,
} from "../../src/movers/index.ts";
import { FilesystemStore, openStore, type Store } from "../../src/store/index.ts";
import { startWith } from "./headway-process.ts";
import { findTestMover } from "./movers.ts";
import { missingS3, startS3 } from "./s3.ts";
import { fillTree } from "./tree.ts";

/** Why buckets with real repositories cannot be had here. */
export function missingBucket(kind: "folder" | "s3"): string | undefined {
  for (const mover of ["restic", "kopia"] as const) {
    const found = findTestMover(mover);
    if ("missing" in found) return found.missing;
  }
  return kind === "s3" ? missingS3() : undefined;
}

/** A bucket with real repositories, and the program to run on it. */
export interface BucketWorld {
  readonly root: string;
  readonly store: Store;
  /** As a command line names it, with what else is needed to open it. */
  readonly address: readonly string[];
  readonly passwordFile: string;
  mover(kind: "restic" | "kopia"): Mover;
  repository(kind: "restic" | "kopia", namespace: string): Repository;
  /** Fills a folder and copies it with a mover, as an agent would; returns the folder and the snapshot. */
  copied(
    kind: "restic" | "kopia",
    volume: Volume,
  ): Promise<{ folder: string; snapshotId: string; bytes: number }>;
  /** Runs the program to its end; a mover in `first` is taken before all others. */
  headway(
    args: readonly string[],
    first?: string,
  ): Promise<{ code: number | null; out: string; err: string }>;
  /** A folder with a kopia that ends whoever started it, after its so many'th snapshot. */
  deadlyKopia(snapshots: number): Promise<string>;
  close(): Promise<void>;
}

interface Volume {
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  readonly sizes: readonly number[];
}

export const password = "a password of its own";

/** Opens one. */
export async function bucketWorld(kind: "folder" | "s3"): Promise<BucketWorld> {
  const root = await mkdtemp(join(tmpdir(), "bucket-"));
  const passwordFile = join(root, "password");
  await writeFile(passwordFile, `${password}\n`);
  const { store, place, address, stop } = await location(kind, root);
  const programs = { restic: programOf("restic"), kopia: programOf("kopia") };
  const movers = {
    restic: makeMover("restic", { program: programs.restic, scratch: join(root, "scratch-restic") }),
    kopia: makeMover("kopia", { program: programs.kopia, scratch: join(root, "scratch-kopia") }),
  };
  const repository = (mover: "restic" | "kopia", namespace: string) => ({
    place: repositoryPlace(place, mover, namespace),
    password,
  });
  return {
    root,
    store,
    address,
    passwordFile,
    mover: (mover) => movers[mover],
    repository,
    async copied(mover, { sizes, ...volume }) {
      const folder = join(root, "volumes", mover, volume.namespace, volume.pod, volume.volume);
      await mkdir(folder, { recursive: true });
      fillTree(folder, sizes);
      const at = repository(mover, volume.namespace);
      await movers[mover].ensureRepository(at);
      const source = volumeSource(mover, volume);
      const { snapshotId = "", bytes } = await movers[mover].backup({
        repository: at,
        path: folder,
        source,
        tags: {},
      });
      return { folder, snapshotId, bytes };
    },
    async headway(args, first) {
      const own = [dirname(programs.kopia), dirname(programs.restic), process.env["PATH"] ?? ""];
      const path = [...(first === undefined ? [] : [first]), ...own].join(delimiter);
      const run = startWith({ env: { PATH: path, TMPDIR: root } }, args);
      const code = await run.ended;
      return { code, out: run.lines().join("\n"), err: run.said() };
    },
    async deadlyKopia(snapshots) {
      const folder = await mkdtemp(join(root, "deadly-"));
      const script = [
        "#!/bin/sh",
        `'${programs.kopia}' "$@"; code=$?`,
        `case " $* " in *" snapshot create "*) echo x >> '${folder}/count';`,
        `  [ "$(wc -l < '${folder}/count')" -ge ${snapshots} ] && kill -9 $PPID;; esac`,
        "exit $code",
        "",
      ];
      await writeFile(join(folder, "kopia"), script.join("\n"));
      await chmod(join(folder, "kopia"), 0o755);
      return folder;
    },
    async close() {
      await stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

function programOf(kind: "restic" | "kopia"): string {
  const found = findTestMover(kind);
  if ("missing" in found) throw new Error(found.missing);
  return found.program;
}

async function location(kind: "folder" | "s3", root: string) {
  if (kind === "folder") {
    const path = join(root, "location");
    await mkdir(path);
    const place: Place = { kind: "filesystem", path };
    return { store: new FilesystemStore(path), place, address: [path], stop: () => Promise.resolve() };
  }
  const server = await startS3();
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server;
  const prefix = `check-${Math.random().toString(36).slice(2)}`;
  const credentials = `[default]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\n`;
  const file = join(root, "credentials");
  await writeFile(file, credentials);
  const config = { region, s3Url: endpoint, s3ForcePathStyle: "true" };
  const store: Store = await openStore({ provider: "aws", bucket, prefix, config, credentials });
  const settings = Object.entries(config).map(([key, value]) => `--config=${key}=${value}`);
  const place: Place = {
    kind: "s3",
    bucket,
    prefix,
    region,
    endpoint,
    keys: { accessKeyId, secretAccessKey },
  };
  return {
    store,
    place,
    address: [`s3://${bucket}/${prefix}`, "--credentials-file", file, ...settings],
    stop: () => server.stop(),
  };
}
