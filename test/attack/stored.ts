import { gzipSync } from "node:zlib";
import { type Backup, type DeleteBackupRequest, kinds, type Restore } from "../../src/api/index.ts";
import { isNotFound, resourceOf } from "../../src/kube/index.ts";
import { type BackupFile, backupKey } from "../../src/store/index.ts";
import { collidingNames } from "../harness/colliding-names.ts";
import { eventually } from "../harness/eventually.ts";
import { plantedBackup } from "../harness/planted-backup.ts";
import { tar, tarGz } from "../harness/tar.ts";
import { type Attack, mustHold } from "./attack.ts";
import { Pulse } from "./pulse.ts";
import type { Stage } from "./stage.ts";

/** What `headway install` gives the operator's pod: with more it would be ended. */
const memoryMiB = 1024;
/** A liveness probe waits a second and tries three times, ten seconds apart. */
const silentMs = 10_000;
const piece = 64 * 1024 ** 2;

/** Gzip that unpacks to so many bytes of one kind: members of a gzip stream may simply follow each other. */
function bomb(bytes: number, fill = " ", head: Buffer = Buffer.alloc(0)): Buffer {
  const member = gzipSync(Buffer.alloc(piece, fill), { level: 9 });
  return Buffer.concat([gzipSync(head), ...Array.from({ length: Math.ceil(bytes / piece) }, () => member)]);
}

/** Memory and answers of the operator while something is done. */
async function bounded(stage: Stage, work: () => Promise<string>): Promise<string> {
  const { operator, pages } = stage;
  if (!operator || !pages) throw new Error("there is no operator");
  operator.resetPeak();
  const pulse = new Pulse(`${pages.operator.url}/healthz`);
  let seen: string;
  try {
    seen = await work();
  } finally {
    await pulse.stop();
  }
  const numbers = `${operator.peakMiB()} MiB at most, longest answer of /healthz ${Math.round(pulse.longestMs)} ms`;
  mustHold(operator.peakMiB() < memoryMiB, `${numbers}; ${seen}`);
  mustHold(pulse.longestMs < silentMs, `${numbers}; ${seen}`);
  return `${seen}; ${numbers}`;
}

/** A stored backup with one more file, or another one. */
async function plantWith(stage: Stage, name: string, file: BackupFile, bytes: Buffer): Promise<void> {
  const files = new Map(plantedBackup(name));
  const key = backupKey(name, file);
  await stage.plant([[key, bytes]]);
  for (const [one, content] of files) if (one !== key) await stage.plant([[one, content]]);
}

function atSync(tried: string, file: BackupFile, make: () => Buffer): Attack {
  const name = `sync-${crypto.randomUUID().slice(0, 8)}`;
  return {
    kind: "bomb in a stored file",
    tried: `${tried}, at the search of the location`,
    run: (stage) =>
      bounded(stage, async () => {
        await plantWith(stage, name, file, make());
        await stage.searched();
        const there = await stage.get<Backup>("Backup", name).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        await stage.bucket.deletePrefix(`backups/${name}/`);
        mustHold(there === undefined, "the backup was imported");
        return "the backup was refused";
      }),
  };
}

/** Waits until a planted backup is known. */
async function imported(stage: Stage, name: string): Promise<void> {
  await eventually(
    () =>
      stage.get<Backup>("Backup", name).then(
        () => true,
        () => false,
      ),
    Boolean,
    90_000,
  );
}

/** Restores a backup and waits for the end; the phase. */
async function restored(stage: Stage, name: string, spec: object = {}): Promise<string> {
  await imported(stage, name);
  await stage.create<Restore>("Restore", name, { spec: { backupName: name, ...spec } });
  const { status } = await eventually(
    () => stage.get<Restore>("Restore", name),
    (one) => /^(Completed|PartiallyFailed|Failed.*)$/.test(one.status?.phase ?? ""),
    200_000,
  );
  return [status?.phase, status?.failureReason].filter(Boolean).join(": ");
}

function atRestore(tried: string, file: BackupFile, make: () => Buffer): Attack {
  const name = `restore-${crypto.randomUUID().slice(0, 8)}`;
  return {
    kind: "bomb in a stored file",
    tried: `${tried}, at a restore`,
    run: (stage) =>
      bounded(stage, async () => {
        // The bomb comes after the search, as whoever writes to the bucket may time it.
        await plantWith(stage, name, "contents", tarGz([{ name: "metadata/version", body: "1" }]));
        await imported(stage, name);
        await stage.plant([[backupKey(name, file), make()]]);
        const phase = await restored(stage, name);
        mustHold(
          phase.startsWith("Failed") || phase.startsWith("PartiallyFailed"),
          `the restore is ${phase}`,
        );
        return `the restore is ${phase}`;
      }),
  };
}

function atPage(what: "log" | "results", file: BackupFile): Attack {
  const name = `page-${what}`;
  return {
    kind: "bomb in a stored file",
    tried: `${what} that unpack to 4 GiB, on the pages of operator and server`,
    run: (stage) =>
      bounded(stage, async () => {
        const { pages, serve } = stage;
        if (!pages || !serve) throw new Error("there is no page");
        await plantWith(stage, name, file, bomb(4 * 1024 ** 3, "x"));
        serve.resetPeak();
        const answers: string[] = [];
        for (const page of [pages.operator, pages.serve]) {
          const path = `/api/operations/${stage.namespace}/backup/${name}`;
          await eventually(
            async () => (await stage.ask(page, path)).status,
            (status) => status === 200,
            90_000,
          );
          const { status, text } = await stage.ask(page, `${path}/${what}`);
          mustHold(status >= 400 || text.length < 2_000_000, `${status} with ${text.length} characters`);
          answers.push(`${status} ${text.slice(0, 120)}`);
        }
        mustHold(serve.peakMiB() < memoryMiB, `the server took ${serve.peakMiB()} MiB`);
        return `${answers.join(", ")}; the server took ${serve.peakMiB()} MiB`;
      }),
  };
}

const atDeletion: Attack = {
  kind: "bomb in a stored file",
  tried: "volumesnapshots.json.gz that unpacks to 2 GiB, at the deletion of the backup",
  run: (stage) =>
    bounded(stage, async () => {
      const name = "deleted-bomb";
      await plantWith(stage, name, "volumeSnapshots", bomb(2 * 1024 ** 3));
      await imported(stage, name);
      await stage.create("DeleteBackupRequest", name, { spec: { backupName: name } });
      const phase = await eventually(
        async () => {
          const all = await stage.client.list<DeleteBackupRequest>(
            resourceOf(kinds.DeleteBackupRequest),
            stage,
          );
          const one = all.find(({ metadata }) => metadata.name === name);
          return one === undefined
            ? "done, the request is gone"
            : one.status?.phase === "Processed"
              ? `processed: ${one.status.errors?.join()}`
              : "";
        },
        (text) => text !== "",
        90_000,
      );
      return phase;
    }),
};

/** An archive of ConfigMaps with these names. */
function archive(names: readonly string[]): Buffer {
  const body = (name: string) =>
    JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "collide" } });
  const prefix = "resources/configmaps/namespaces/collide";
  const entries = names.map((name) => ({ prefix, name: `${name}.json`, body: body(name) }));
  return gzipSync(tar([{ name: "metadata/version", body: "1" }, ...entries]));
}

const collisions: Attack = {
  kind: "colliding names",
  tried: "an archive of 4,096 names that collide under a hash without a key, against one of honest names",
  limitMs: 400_000,
  async run(stage) {
    // Both are made before anything is measured: that takes a while.
    const hostile = collidingNames(12);
    const honest = hostile.map((name, i) => String(i).padStart(name.length, "0"));
    const archives = { honest: archive(honest), hostile: archive(hostile) };
    return bounded(stage, async () => {
      const times: number[] = [];
      for (const [name, bytes] of Object.entries(archives)) {
        await plantWith(stage, `names-${name}`, "contents", bytes);
        await imported(stage, `names-${name}`);
        const began = performance.now();
        // Every name is read, and none is made.
        const phase = await restored(stage, `names-${name}`, { includedResources: ["secrets"] });
        times.push(performance.now() - began);
        mustHold(phase === "Completed", `the restore of ${name} names is ${phase}`);
      }
      const [fair = 0, foul = 0] = times;
      const seen = `honest ${Math.round(fair)} ms, colliding ${Math.round(foul)} ms`;
      mustHold(foul < 3 * fair + 2_000, seen);
      return seen;
    });
  },
};

/** Attacks by what lies in the bucket. */
export const storedAttacks: readonly Attack[] = [
  atSync("velero-backup.json of 8 MiB", "metadata", () => Buffer.alloc(8 * 1024 ** 2, " ")),
  atSync("velero-backup.json that is nested 1,000,000 deep", "metadata", () =>
    Buffer.from("[".repeat(1_000_000)),
  ),
  atSync("podvolumebackups.json.gz that unpacks to 2 GiB", "podVolumeBackups", () => bomb(2 * 1024 ** 3)),
  atSync("podvolumebackups.json.gz with 5,000,000 values", "podVolumeBackups", () =>
    gzipSync(`[${"{},".repeat(4_999_999)}{}]`),
  ),
  atSync("volumepluginbackups.json.gz that unpacks to 2 GiB", "volumePluginBackups", () =>
    bomb(2 * 1024 ** 3),
  ),
  atRestore("an archive with an entry of 8 GiB", "contents", () => bomb(8 * 1024 ** 3, "\0", bigEntry())),
  atRestore("an archive of 8 GiB of zeros", "contents", () => bomb(8 * 1024 ** 3, "\0")),
  atRestore("volumeinfo.json.gz that unpacks to 2 GiB", "volumeInfo", () => bomb(2 * 1024 ** 3)),
  atRestore("podvolumebackups.json.gz that unpacks to 2 GiB", "podVolumeBackups", () => bomb(2 * 1024 ** 3)),
  atRestore("volumesnapshots.json.gz that unpacks to 2 GiB", "volumeSnapshots", () => bomb(2 * 1024 ** 3)),
  atDeletion,
  atPage("log", "log"),
  atPage("results", "results"),
  collisions,
];

/** The head of an entry that says it has 8 GiB less one. */
function bigEntry(): Buffer {
  const entry = { name: "resources/configmaps/namespaces/a/b.json", body: "", size: "77777777777\0" };
  return tar([{ name: "metadata/version", body: "1" }, entry], { end: false });
}
