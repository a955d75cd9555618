// Records the corpus: real restic and kopia against a store behind a slow road.
// usage: node bench/corpus/make.ts OUT [--at-once N] [--scale X] [--only family,…] [--mover restic|kopia] [--runs N]
import { spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  findMovers,
  type Mover,
  type MoverKind,
  makeMover,
  moverFolders,
  moverKinds,
  type Repository,
} from "../../src/movers/index.ts";
import { Recorder } from "../../src/trace/index.ts";
import { type S3Server, startS3 } from "../../test/harness/s3.ts";
import { type Chance, chance, clear } from "./data.ts";
import { type Family, families } from "./families.ts";
import { type Link, openLink } from "./link.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "at-once": { type: "string", default: "6" },
    scale: { type: "string", default: "1" },
    only: { type: "string" },
    mover: { type: "string" },
    runs: { type: "string", default: "5" },
    seed: { type: "string", default: "1" },
    slower: { type: "string", default: "1" },
  },
});
const out = positionals[0] ?? "bench/corpus/traces";
const [atOnce, runs, seed] = [Number(values["at-once"]), Number(values.runs), Number(values.seed)];
const slower = Number(values.slower);
const scales = values.scale.split(",").map(Number);

interface Job {
  readonly family: Family;
  readonly kind: MoverKind;
  readonly scale: number;
}

const wanted = values.only?.split(",");
const jobs: Job[] = scales.flatMap((scale) =>
  families
    .filter(({ name }) => wanted === undefined || wanted.includes(name))
    .flatMap((family) =>
      moverKinds
        .filter((kind) => values.mover === undefined || values.mover === kind)
        .map((kind) => ({ family, kind, scale })),
    ),
);

mkdirSync(out, { recursive: true });
const server = await startS3();
if (jobs.length === 1) {
  const [job] = jobs;
  if (job) await runJob(job, nameOf(job));
} else await share();
await server.stop();
process.exit(0); // links keep sockets of movers that are gone

/** Each workload in a process of its own: making the data of one must not hold up the link of another. */
async function share(): Promise<void> {
  const left = [...jobs];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let job = left.shift(); job; job = left.shift()) {
        const code = await apart(job);
        console.log(
          `${new Date().toISOString()} ${nameOf(job)} ${code === 0 ? "done" : "FAILED"}, ${left.length} left`,
        );
      }
    }),
  );
}

function apart({ family, kind, scale }: Job): Promise<number | null> {
  const flags = ["--only", family.name, "--mover", kind, "--scale", String(scale)];
  const same = ["--runs", values.runs, "--seed", values.seed, "--slower", values.slower];
  const child = spawn(process.execPath, [import.meta.filename, out, ...flags, ...same], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      S3_ENDPOINT: server.endpoint,
      S3_BUCKET: server.bucket,
      AWS_REGION: server.region,
      AWS_ACCESS_KEY_ID: server.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    },
  });
  return new Promise((resolve) => child.once("exit", resolve));
}

function nameOf({ family, kind, scale }: Job): string {
  return `${family.name}-${kind}-x${scale}`;
}

/** One run of a workload: where its parts are. */
interface Place {
  readonly name: string;
  readonly folder: string;
  readonly scratch: string;
  readonly repository: Repository;
  readonly link: Link;
}

async function runJob({ family, kind, scale }: Job, name: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "corpus-"));
  const next = chance(seed * 7919 + hash(name));
  const link = await openLink(Number(new URL(server.endpoint).port));
  const places = Array.from({ length: family.together ?? 1 }, (_, i): Place => {
    const place = join(root, String(i));
    const folder = join(place, "data");
    mkdirSync(folder, { recursive: true });
    const label = `${name}${i > 0 ? `-${i}` : ""}`;
    return {
      name: label,
      folder,
      scratch: join(place, "scratch"),
      link,
      repository: family.local
        ? { place: { kind: "filesystem", path: join(place, "repository") }, password: "secret" }
        : remote(server, link, label),
    };
  });
  try {
    const snapshots = await Promise.all(places.map((place) => backups(family, kind, scale, place, next)));
    if (family.restored) await restores(family, kind, places[0], snapshots[0] ?? [], next);
  } finally {
    await link.close();
    rmSync(root, { recursive: true, force: true });
  }
}

function remote(s3: S3Server, link: Link, prefix: string): Repository {
  const keys = { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey };
  const endpoint = `http://127.0.0.1:${link.port}`;
  const { bucket, region } = s3;
  return { place: { kind: "s3", bucket, prefix, region, endpoint, keys }, password: "secret" };
}

async function backups(
  family: Family,
  kind: MoverKind,
  scale: number,
  place: Place,
  next: Chance,
): Promise<string[]> {
  const { folder, repository, link } = place;
  const fast = { rate: () => 1e9 };
  let parent: string | undefined;
  const snapshots: string[] = [];
  link.shape(fast);
  await moverOf(kind, place).ensureRepository(repository);
  for (let i = family.primed ? -1 : 0; i < (family.runs ?? runs); i++) {
    family.prepare(folder, family.primed ? i + 1 : i, scale, next);
    if (i < 0) {
      link.shape(fast);
      const first = await moverOf(kind, place).backup(request(place, parent));
      parent = first.snapshotId;
      continue;
    }
    if (family.cold) rmSync(place.scratch, { recursive: true, force: true });
    if (family.cold) {
      link.shape(fast);
      await moverOf(kind, place).ensureRepository(repository);
      clearCache(place);
    }
    link.shape(family.link(i, next), slower);
    const head = {
      key: `backup/${place.name}`,
      family: family.name,
      op: "backup",
      parent: parent !== undefined,
    };
    const result = await recorded(kind, place, head, family, (mover) => mover.backup(request(place, parent)));
    parent = result.snapshotId ?? parent;
    if (result.snapshotId !== undefined) snapshots.push(result.snapshotId);
  }
  return snapshots;
}

async function restores(
  family: Family,
  kind: MoverKind,
  place: Place | undefined,
  snapshots: readonly string[],
  next: Chance,
): Promise<void> {
  const [last] = snapshots.slice(-1);
  if (!place || last === undefined) return;
  const target = join(place.folder, "..", "target");
  for (let i = 0; i < Math.min(4, family.runs ?? runs); i++) {
    clear(target);
    clearCache(place);
    place.link.shape({ rate: () => 1e9 });
    const bytes = await moverOf(kind, place).snapshotBytes(place.repository, last);
    place.link.shape(family.link(i, next), slower);
    const head = { key: `restore/${place.name}`, family: family.name, op: "restore", total: bytes };
    await recorded(kind, place, head, { ...family, meanwhile: () => undefined }, (mover) =>
      mover.restore({ repository: place.repository, snapshotId: last, path: target, totalBytes: bytes }),
    );
  }
}

function request({ repository, folder, name }: Place, parent: string | undefined) {
  return {
    repository,
    path: folder,
    source: `corpus/${name}`,
    tags: {},
    ...(parent !== undefined && { parent }),
  };
}

interface Given {
  readonly key: string;
  readonly family: string;
  readonly op: string;
  readonly parent?: boolean;
  readonly total?: number;
}

async function recorded<T>(
  kind: MoverKind,
  place: Place,
  { total, ...given }: Given,
  family: Family,
  work: (mover: Mover) => Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  const file = join(out, `${given.op}-${place.name}-${startedAt}.ndjson`);
  const version = await moverOf(kind, place).version();
  const lines: string[] = [];
  const from = performance.now();
  const recorder = new Recorder(
    { v: 1, ...given, mover: kind, version, unit: "bytes", startedAt },
    {
      write: (line) => lines.push(line),
      now: () => performance.now(),
      lean: true,
      counters: { sockets: false },
      ...(total !== undefined && { total }),
    },
  );
  const timer = setInterval(() => {
    void recorder.look();
    family.meanwhile?.(place.folder, (performance.now() - from) / 1000);
  }, 1000);
  try {
    const result = await work(moverOf(kind, place, recorder));
    recorder.end("completed");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    appendFileSync(
      join(out, "log.txt"),
      `${given.op} ${place.name} ${seconds} s, ${place.link.carried()} bytes\n`,
    );
    return result;
  } finally {
    clearInterval(timer);
  }
}

function moverOf(kind: MoverKind, { scratch }: Place, witness?: Recorder): Mover {
  const [program] = findMovers(kind, moverFolders());
  if (program === undefined) throw new Error(`no ${kind} on PATH`);
  return makeMover(kind, { program, scratch, ...(witness && { witness }) });
}

/** The connection stays, what was fetched goes. */
function clearCache({ scratch }: Place): void {
  rmSync(join(scratch, "restic-cache"), { recursive: true, force: true });
  const kopia = join(scratch, "kopia");
  if (!existsSync(kopia)) return;
  const keep = join(scratch, "keep");
  cpSync(kopia, keep, { recursive: true, filter: (path) => !path.endsWith(".cache") });
  rmSync(kopia, { recursive: true, force: true });
  cpSync(keep, kopia, { recursive: true });
  rmSync(keep, { recursive: true, force: true });
}

function hash(text: string): number {
  let h = 0;
  for (const char of text) h = (Math.imul(h, 31) + char.charCodeAt(0)) | 0;
  return h >>> 0;
}
