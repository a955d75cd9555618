import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubeObject, kinds, type MigMigration, type MigPlan } from "../src/api/index.ts";
import { builtIn, isNotFound, resourceOf } from "../src/kube/index.ts";
import { eventually } from "./harness/eventually.ts";
import { type LightWorld, openLightWorld } from "./harness/light-migration.ts";

// Between two embedded clusters without nodes: the cluster makes the pods of the hooks' Jobs, the test runs them.

type Pod = KubeObject & {
  readonly spec?: { readonly containers?: readonly { readonly env?: readonly object[] }[] };
  readonly status?: { readonly phase?: string };
};

const jobs = { group: "batch", version: "v1", plural: "jobs", kind: "Job", namespaced: true };
const playbook = "- hosts: localhost\n";
/** Which hook of a plan runs where; the plans of the lanes are `plan`, `plan-1`, and so on. */
const lanes = [
  {
    name: "there",
    hooks: {
      PreBackup: "source",
      PostBackup: "destination",
      PreRestore: "source",
      PostRestore: "destination",
    },
  },
  {
    name: "back",
    hooks: {
      PreBackup: "destination",
      PostBackup: "source",
      PreRestore: "destination",
      PostRestore: "source",
    },
  },
  { name: "fails", hooks: { PreBackup: "source", PreRestore: "destination" } },
  { name: "lacks", hooks: { PostRestore: "destination" } },
  { name: "hangs", hooks: { PreBackup: "source" } },
] as const;

let world: LightWorld;
const stop = new AbortController();
let kubelets: Promise<unknown>;
/** What ran: which run's hook, in which cluster, and in which phase of the run. */
const ran = new Set<string>();
/** Lines that were read in the run's pipeline while the hook ran. */
const told = new Map<string, readonly string[]>();

beforeAll(async () => {
  world = await openLightWorld({ lanes: lanes.length });
  world.host();
  kubelets = Promise.all([runPods("source"), runPods("destination")]);
  await Promise.all(lanes.map(({ name, hooks }, i) => giveHooks(i, name, hooks)));
  // All of them side by side; one is canceled when its hook runs.
  for (const [i, { name }] of lanes.entries()) await world.run(name, {}, {}, i);
}, 120_000);
afterAll(async () => {
  stop.abort();
  await kubelets;
  await world?.close();
}, 60_000);

async function giveHooks(lane: number, run: string, hooks: Readonly<Record<string, string>>): Promise<void> {
  const { green, server } = world;
  const place = { namespace: server };
  for (const [phase, targetCluster] of Object.entries(hooks)) {
    // One of them is a playbook; the others are images that are run as they are.
    const isPlaybook = run === "there" && phase === "PreBackup";
    const how = isPlaybook
      ? { custom: false, playbook: Buffer.from(playbook).toString("base64") }
      : { custom: true };
    await green.create(resourceOf(kinds.MigHook), {
      apiVersion: "migration.openshift.io/v1alpha1",
      kind: "MigHook",
      metadata: { name: hookName(run, phase), ...place },
      spec: { image: "hook:1", targetCluster, ...how },
    });
  }
  const entries = Object.keys(hooks).map((phase) => ({
    reference: { name: hookName(run, phase), ...place },
    phase,
    executionNamespace: server,
    serviceAccount: run === "lacks" ? "nobody" : "default",
  }));
  const plan = lane === 0 ? "plan" : `plan-${lane}`;
  const body = { spec: { hooks: entries } };
  await green.patch(resourceOf(kinds.MigPlan), plan, { type: "merge", body }, place);
  await eventually(
    () => green.get<MigPlan>(resourceOf(kinds.MigPlan), plan, place),
    ({ spec, status }) =>
      spec?.hooks?.length === entries.length &&
      status?.conditions?.some(({ type }) => type === "Ready") === true,
  );
}

const hookName = (run: string, phase: string) => `${run}-${phase}`.toLowerCase();

/** What a kubelet does, as far as anybody looks: pods of hooks run, are heard of, and end. */
async function runPods(side: "source" | "destination"): Promise<void> {
  const client = side === "source" ? world.blue : world.green;
  const place = { namespace: world.server };
  const say = (pod: Pod, phase: string) =>
    client
      .patch(
        builtIn.pods,
        pod.metadata.name,
        { type: "merge", body: { status: { phase } } },
        {
          ...place,
          subresource: "status",
        },
      )
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error; // a Job that is given up takes its pod along
      });
  while (!stop.signal.aborted) {
    const pods = await client.list<Pod>(builtIn.pods, { ...place, labelSelector: "phase,owner" });
    const runs = await world.green.list<MigMigration>(resourceOf(kinds.MigMigration), place);
    for (const pod of pods) {
      const run = runs.find(({ metadata }) => metadata.uid === pod.metadata.labels?.["owner"]);
      const hook = pod.metadata.labels?.["phase"] ?? "";
      if (!run) continue;
      const { name } = run.metadata;
      if (
        pod.status?.phase !== "Running" &&
        pod.status?.phase !== "Succeeded" &&
        pod.status?.phase !== "Failed"
      ) {
        ran.add(`${name} ${hook} ${side} ${run.status?.phase}`);
        await say(pod, "Running");
      } else if (pod.status.phase === "Running") {
        const lines = run.status?.pipeline?.find(({ started, completed }) => started && !completed)?.progress;
        const running = lines?.filter((line) => line.endsWith(": Running")) ?? [];
        if (running.length === 0 || name === "hangs") continue;
        told.set(`${name} ${hook}`, running);
        await say(pod, name === "fails" && hook === "PreRestore" ? "Failed" : "Succeeded");
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const steps = ({ status }: MigMigration) =>
  status?.pipeline?.map(({ name, message, failed, phase }) =>
    [name, message, failed ? phase : undefined].filter(Boolean).join(" "),
  );
const jobLines = ({ status }: MigMigration) =>
  status?.pipeline?.flatMap(({ progress = [] }) => progress.filter((line) => line.startsWith("Job ")));
const jobOf = (plan: string, hook: string, { metadata }: MigMigration) =>
  `Job ${world.server}/${plan}-${hook.toLowerCase()}-${metadata.uid?.replaceAll("-", "").slice(0, 8)}`;

test.each([
  ["there", 0],
  ["back", 1],
] as const)("the four hooks of run %s run as Jobs, each in its cluster and its phase", async (name, lane) => {
  const run = await world.ended(name);
  expect(run.status?.errors).toBeUndefined();
  expect(run.status?.conditions?.map(({ type }) => type)).toEqual(["Succeeded"]);
  const { hooks } = lanes[lane];
  const wanted = Object.entries(hooks).map(([hook, side]) => `${name} ${hook} ${side} ${hook}Hooks`);
  expect([...ran].filter((line) => line.startsWith(`${name} `))).toEqual(wanted);
  const plan = lane === 0 ? "plan" : `plan-${lane}`;
  const jobs = Object.keys(hooks).map((hook) => jobOf(plan, hook, run));
  // Heard of while they ran, and what became of them stays with their step.
  expect(Object.keys(hooks).map((hook) => told.get(`${name} ${hook}`))).toEqual(
    jobs.map((job) => [`${job}: Running`]),
  );
  expect(jobLines(run)).toEqual(jobs.map((job) => `${job}: Succeeded`));
});

test("a hook's pod is told the plan and its namespaces, and a playbook lies where its runner looks", async () => {
  const { blue, server, app } = world;
  const query = { namespace: server, labelSelector: "phase=PreBackup" };
  const pods = await blue.list<Pod>(builtIn.pods, query);
  const [pod] = pods.filter(({ metadata }) => metadata.name.startsWith("plan-prebackup-"));
  expect(pod?.spec?.containers?.[0]).toMatchObject({
    image: "hook:1",
    env: [
      { name: "MIGRATION_NAMESPACES", value: app },
      { name: "MIGRATION_PLAN_NAME", value: "plan" },
    ],
    command: expect.arrayContaining(["ansible-runner"]),
    volumeMounts: expect.arrayContaining([{ name: "playbook", mountPath: "/tmp/playbook" }]),
  });
  const configs = await blue.list<KubeObject & { readonly data?: object }>(builtIn.configMaps, query);
  expect(configs.map(({ data }) => data)).toEqual([{ "playbook.yml": playbook }]);
});

test("what a run makes for its hooks is in no backup, so that no hook runs again where it is restored", async () => {
  const query = { namespace: world.server, labelSelector: "phase,owner" };
  const made = await Promise.all(
    [world.blue, world.green].flatMap((client) => [
      client.list(jobs, query),
      client.list(builtIn.configMaps, query),
    ]),
  );
  const labels = made.flat().map(({ metadata }) => metadata.labels?.["velero.io/exclude-from-backup"]);
  expect(new Set(labels)).toEqual(new Set(["true"]));
});

test("a hook that fails ends the run in its step, with the Job and its cluster named", async () => {
  const run = await world.ended("fails");
  expect(run.status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
    ["Failed", "PreRestoreHooks"],
  ]);
  expect(run.status?.errors).toEqual([`${jobOf("plan-2", "PreRestore", run)}: failed on cluster green.`]);
  expect(steps(run)).toEqual([
    "Prepare Completed",
    "Backup Completed",
    "VolumeBackup Completed",
    "VolumeRestore Completed",
    "Restore Failed PreRestoreHooks",
    "Final Completed",
  ]);
  expect(jobLines(run)).toEqual([
    `${jobOf("plan-2", "PreBackup", run)}: Succeeded`,
    `${jobOf("plan-2", "PreRestore", run)}: Failed`,
  ]);
});

test("a hook without its account fails the run, and says what is missing where", async () => {
  const { status } = await world.ended("lacks");
  expect(status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
    ["Failed", "PostRestoreHooks"],
  ]);
  expect(status?.errors).toEqual([`ServiceAccount ${world.server}/nobody: not found on cluster green.`]);
});

test("a cancel while a hook runs takes its Job away", async () => {
  const { blue, green, server } = world;
  const jobs = () => blue.list(builtIn.jobs, { namespace: server, labelSelector: "phase=PreBackup" });
  const mine = (list: readonly KubeObject[]) =>
    list.filter(({ metadata }) => metadata.name.startsWith("plan-4-"));
  await eventually(jobs, (list) => mine(list).length === 1, 60_000);
  const body = { spec: { canceled: true } };
  await green.patch(resourceOf(kinds.MigMigration), "hangs", { type: "merge", body }, { namespace: server });
  const run = await world.ended("hangs");
  expect(run.status?.conditions?.map(({ type }) => type)).toEqual(["Canceled"]);
  expect(steps(run)?.slice(0, 2)).toEqual(["Prepare Completed", "Backup Canceled"]);
  await eventually(jobs, (list) => mine(list).length === 0, 60_000);
});
