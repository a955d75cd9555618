import { type KubeObject, type MigHook, veleroNames } from "../../../api/index.ts";
import { labelValue } from "../../../kube/index.ts";
import { labels, partOf } from "../names.ts";
import { advance, type Cluster, type Handler, type Run, remark } from "../run.ts";
import { resources, type Workload } from "../shapes.ts";
import { all, ensure, find, keyOf } from "../tolerate.ts";
import { warningsOf } from "./stage-pods.ts";

/** When a hook runs. */
export type HookPhase = "PreBackup" | "PostBackup" | "PreRestore" | "PostRestore";

const tries = 6;

/** Runs the plan's hook for a phase as a Job, and waits for it. */
export const hook =
  (phase: HookPhase): Handler =>
  async (run, signal) => {
    const entry = run.plan.spec?.hooks?.find((one) => one.phase === phase);
    if (!entry) return advance;
    const { namespace = run.plan.metadata.namespace, name } = entry.reference;
    const found = run.hooks.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
    );
    if (!found) return { do: "fail", errors: [`MigHook ${namespace}/${name ?? ""}: not found.`] };
    const cluster = found.spec?.targetCluster === "destination" ? run.destination : run.source;
    const place = { namespace: entry.executionNamespace, account: entry.serviceAccount };
    const job = await jobOf(run, cluster, place.namespace, phase, signal);
    if (!job) {
      const account = await find(cluster.client, resources.accounts, place.account, place.namespace, signal);
      if (!account) {
        const where = `on cluster ${cluster.name}`;
        return {
          do: "fail",
          errors: [`ServiceAccount ${place.namespace}/${place.account}: not found ${where}.`],
        };
      }
      await start(run, cluster, found, phase, place, signal);
      return { do: "wait", report: { details: [remark("MigHook", found, "Starting")] } };
    }
    return judge(cluster, job, signal);
  };

async function judge(cluster: Cluster, job: Workload, signal: AbortSignal) {
  const { succeeded = 0, failed = 0, conditions = [] } = job.status ?? {};
  const gaveUp = conditions.some(({ type, status }) => type === "Failed" && status === "True");
  const state = succeeded >= 1 ? "Succeeded" : gaveUp || failed >= tries ? "Failed" : "Running";
  const detail = {
    kind: "Job",
    namespace: job.metadata.namespace ?? "",
    name: job.metadata.name,
    cluster: cluster.name,
    objectPhase: state,
    state: { Succeeded: "completed", Failed: "failed", Running: "running" }[state],
  };
  const warnings = state === "Running" ? await warningsOf(cluster, [job], signal) : [];
  const report = { details: [detail, ...warnings] };
  if (state === "Succeeded") return { do: "advance", report } as const;
  if (state === "Running") return { do: "wait", report, progress: state } as const;
  return { do: "fail", errors: [`Job ${keyOf(job)}: failed on cluster ${cluster.name}.`], report } as const;
}

async function jobOf(
  run: Run,
  { client }: Cluster,
  namespace: string,
  phase: HookPhase,
  signal: AbortSignal,
): Promise<Workload | undefined> {
  const labelSelector = `${labels.hookOwner}=${labelValue(run.uid)},${labels.hookPhase}=${phase}`;
  const [first] = await all<Workload>(client, resources.jobs, { namespace, labelSelector }, signal);
  return first;
}

/** How a playbook runs in the image of Ansible's runner. */
const ansible = {
  command: ["/bin/entrypoint", "ansible-runner", "-p", "/tmp/playbook/playbook.yml", "run", "/tmp/runner"],
  volumeMounts: [{ name: "playbook", mountPath: "/tmp/playbook" }],
};

async function start(
  run: Run,
  { client }: Cluster,
  given: MigHook,
  phase: HookPhase,
  place: { readonly namespace: string; readonly account: string },
  signal: AbortSignal,
): Promise<void> {
  const { custom = false, image, playbook, activeDeadlineSeconds = 1800 } = given.spec ?? {};
  const name =
    `${run.plan.metadata.name.slice(0, 30)}-${phase}-${run.uid.replaceAll("-", "").slice(0, 8)}`.toLowerCase();
  const metadata = {
    name,
    namespace: place.namespace,
    labels: {
      [labels.partOf]: partOf,
      [labels.plan]: labelValue(run.plan.metadata.uid ?? ""),
      [labels.hook]: labelValue(given.metadata.uid ?? ""),
      // It is the run's, not the application's: it must not run again where it is restored.
      [veleroNames.excludeFromBackup]: "true",
      [labels.hookPhase]: phase,
      [labels.hookOwner]: labelValue(run.uid),
    },
  };
  if (!custom) {
    const text = Buffer.from(playbook ?? "", "base64").toString("utf8");
    const config: KubeObject & { readonly data: object } = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data: { "playbook.yml": text },
    };
    await ensure(client, resources.configMaps, config, signal);
  }
  const env = [
    { name: "MIGRATION_NAMESPACES", value: (run.plan.spec?.namespaces ?? []).join(",") },
    { name: "MIGRATION_PLAN_NAME", value: run.plan.metadata.name },
  ];
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: {
      // The limit is the Job's: on the pod it would begin anew with each try.
      activeDeadlineSeconds,
      backoffLimit: tries,
      template: {
        metadata: { labels: metadata.labels },
        spec: {
          restartPolicy: "OnFailure",
          serviceAccountName: place.account,
          containers: [{ name: phase.toLowerCase(), image, env, ...(!custom && ansible) }],
          ...(!custom && { volumes: [{ name: "playbook", configMap: { name } }] }),
        },
      },
    },
  };
  await ensure(client, resources.jobs, job, signal);
}
