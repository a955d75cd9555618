// Plugins for tests: one for each way of progress, and liars. What a volume is to do is in its hostPath:
// `/<behaviour>/<name>` is theirs when the behaviour is.
import {
  openReporter,
  type PersistentVolume,
  type PluginContext,
  ProgressBook,
  type Report,
  type ReportBytes,
  type SnapshotRequest,
  type Snapshotters,
  type VolumeSnapshotter,
} from "../../../src/engines/snapshotter/library.ts";

const steps = 5;
const stepMs = 300;

const pathOf = (volume: PersistentVolume) =>
  ((volume["spec"] ?? {}) as { hostPath?: { path?: string } }).hostPath?.path ?? "";
const idOf = ({ tags }: SnapshotRequest) => `snap-${tags["velero.io/pv"]}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A snapshotter that knows the volumes below a folder, with this in place of the rest. */
function basic(behaviour: string, more: Partial<VolumeSnapshotter>): VolumeSnapshotter {
  return {
    init: async () => undefined,
    getVolumeID: async (volume) => (pathOf(volume).startsWith(`/${behaviour}/`) ? pathOf(volume) : ""),
    setVolumeID: async (volume, id) => ({
      ...volume,
      spec: { ...(volume["spec"] as object), hostPath: { path: id } },
    }),
    getVolumeInfo: async () => ({ type: "test", iops: 7 }),
    createSnapshot: async (request) => idOf(request),
    createVolumeFromSnapshot: async ({ snapshotID }) => `/${behaviour}/out-of-${snapshotID}`,
    deleteSnapshot: async () => undefined,
    ...more,
  };
}

/** Moves bytes in steps. */
async function work(report: ReportBytes): Promise<undefined> {
  for (let done = 0; done <= steps; done += 1) {
    report(done * 1000, steps * 1000);
    await pause(stepMs);
  }
  return undefined;
}

/** Way (a): the plugin's own objects. */
function own(context: PluginContext): VolumeSnapshotter {
  const reporter = openReporter(context);
  const run = async (report: Report) => {
    await work((done, total) => report.progress(done, total));
    await report.completed();
  };
  return basic("own", {
    async createSnapshot({ tags, ...rest }) {
      const snapshotID = idOf({ tags, ...rest });
      void run(await (await reporter).backup({ snapshotID, tags, pluginSpecific: { region: "eu" } }));
      return snapshotID;
    },
    async createVolumeFromSnapshot({ snapshotID }) {
      const volumeID = `/own/out-of-${snapshotID}`;
      void run(await (await reporter).restore({ snapshotID, volumeID, backup: "ways" }));
      return volumeID;
    },
  });
}

/** Way (b): the plugin is asked. */
function asked(): VolumeSnapshotter {
  const book = new ProgressBook();
  const unknown = { phase: "Failed", message: "not known" } as const;
  return basic("asked", {
    async createSnapshot(request) {
      book.begin(idOf(request), work);
      return idOf(request);
    },
    progress: async (id) => book.progress(id) ?? unknown,
  });
}

/** Asked, and lies: answers these in turn, the last again and again. */
function liar(behaviour: string, ...answers: readonly unknown[]): () => VolumeSnapshotter {
  return () => {
    let next = 0;
    return basic(behaviour, {
      progress: async () => answers[Math.min(next++, answers.length - 1)] as never,
    });
  };
}

const says = (bytesDone: unknown, totalBytes: unknown = 1000) => ({
  phase: "InProgress",
  bytesDone,
  totalBytes,
});
const done = { phase: "Completed" };

/** An object that is odd in some way, made for each snapshot. */
function odd(behaviour: string, change: (object: OddObject) => OddObject, flood = false) {
  return (context: PluginContext): VolumeSnapshotter =>
    basic(behaviour, {
      async createSnapshot(request) {
        const { connect } = await import("../../../src/kube/index.ts");
        const { kubeconfig, namespace } = context;
        const client = await connect(kubeconfig === undefined ? {} : { kubeconfig });
        const name = idOf(request);
        const [backup = "", volume = ""] = [request.tags["velero.io/backup"], request.tags["velero.io/pv"]];
        const plain: OddObject = {
          metadata: { name, namespace },
          spec: { backup, volume, plugin: context.name },
          status: { phase: "InProgress", snapshotID: name },
        };
        const object = { apiVersion: "velero.io/v1", kind: "VolumePluginBackup", ...change(plain) };
        const resource = {
          group: "velero.io",
          version: "v1",
          plural: "volumepluginbackups",
          kind: object.kind,
          namespaced: true,
        };
        await client.create(resource, object);
        const end = async () => {
          const patch = (status: object) =>
            client.patch(resource, name, { type: "merge", body: { status } }, { namespace });
          const until = Date.now() + 2_000;
          while (flood && Date.now() < until) {
            const many = Array.from({ length: 16 }, () =>
              patch({
                progress: { totalBytes: 1_000_000, bytesDone: Math.floor(Math.random() * 2_000_000) },
              }),
            );
            await Promise.all(many);
          }
          if (!flood) await pause(1_500);
          await patch({ phase: "Completed" });
          client.close();
        };
        if (object.metadata.namespace === namespace) void end();
        else client.close();
        return name;
      },
    });
}

interface OddObject {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: { readonly backup: string; readonly volume: string; readonly plugin: string };
  readonly status: { readonly phase: string; readonly snapshotID: string };
}

export const snapshotters: Snapshotters = {
  "test.dev/own": own,
  "test.dev/asked": asked,
  "test.dev/silent": () => basic("silent", {}),
  "test.dev/backwards": liar("backwards", says(800), says(300), says(100), done),
  "test.dev/beyond": liar("beyond", says(5000), says(9000), done),
  "test.dev/units": liar("units", says("50%"), says(0.5, 1), says(Number.NaN), done),
  "test.dev/garbage": liar("garbage", "what?", undefined, { phase: "Dancing" }, says(1), done),
  "test.dev/hangs": () => basic("hangs", { createSnapshot: () => new Promise<never>(() => undefined) }),
  "test.dev/dies": () => basic("dies", { createSnapshot: () => process.exit(1) }),
  "test.dev/twin": () => basic("twin", { createSnapshot: async () => "always-the-same" }),
  "test.dev/second": () => basic("asked", {}),
  "test.dev/elsewhere": odd("elsewhere", (o) => ({
    ...o,
    metadata: { ...o.metadata, namespace: "default" },
  })),
  "test.dev/foreign": odd("foreign", (o) => ({ ...o, spec: { ...o.spec, backup: "unknown" } })),
  "test.dev/nameless": odd("nameless", (o) => ({ ...o, status: { ...o.status, snapshotID: "" } })),
  "test.dev/phase": odd("phase", (o) => ({ ...o, status: { ...o.status, phase: "Uploading" } })),
  "test.dev/flood": odd("flood", (o) => o, true),
};
