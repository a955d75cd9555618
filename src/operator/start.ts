import { tmpdir } from "node:os";
import { type Backup, type BackupStorageLocation, kinds } from "../api/index.ts";
import { type ActionSetDeps, actionOptions } from "../engines/actionset/index.ts";
import {
  type BackupDefaults,
  backupDefaults,
  backupNow,
  deleteRequest,
  upcoming,
} from "../engines/backup/index.ts";

import type { Priorities, RestoreRights } from "../engines/restore/index.ts";
import { AppError, messageOf } from "../errors.ts";
import {
  Cache,
  type Client,
  type Clock,
  LeaderElector,
  type Log,
  resourceOf,
  StatusWriter,
  systemClock,
} from "../kube/index.ts";
import { Plugins } from "../plugins/index.ts";
import type { Observation as Seen } from "../progress/index.ts";
import { LiveLogs, Reporter } from "../report/index.ts";
import {
  clusterAuthorizer,
  type Listening,
  listen,
  tokenAuthorizer,
  type VeleroMetrics,
} from "../server/index.ts";
import { csiOf } from "./csi.ts";
import type { OperatorDeps, Registration } from "./deps.ts";
import { Downloads } from "./downloads.ts";
import { itemActionsOf } from "./item-actions.ts";
import { feed, openVeleroMetrics } from "./metrics.ts";
import { type Observation, openObservation } from "./observation.ts";
import { Stores } from "./open-store.ts";
import { planner } from "./plan-for.ts";
import { type PodVolumeOptions, podVolumesOf } from "./pod-volumes.ts";
import { registrations } from "./registrations.ts";
import { runInPods } from "./run-in-pods.ts";
import { type PluginOptions, snapshotsOf } from "./snapshots.ts";
import { startWebhook, type WebhookOptions } from "./webhook.ts";

const locations = resourceOf(kinds.BackupStorageLocation);

/** How an operator is run. */
export interface OperatorOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Names of the controllers to run; all when absent. */
  readonly controllers?: readonly string[] | undefined;
  readonly log: Log;
  readonly report?: ((seen: Seen) => void) | undefined;
  readonly clock?: Clock;
  readonly tempDir?: string | undefined;
  readonly serverVersion?: string;
  readonly backupDefaults?: Partial<BackupDefaults>;
  readonly concurrentBackups?: number | undefined;
  /** The order of types in restores. */
  readonly priorities?: Priorities | undefined;
  /** With whose rights restores are done; with the client's own when absent. */
  readonly restoreRights?: RestoreRights | undefined;
  /** Where links to files of file system locations are served; none are when absent. */
  readonly downloads?: { readonly listen: string; readonly publicUrl?: string | undefined } | undefined;
  /** Where operations and metrics are served, and under which names; nowhere when absent. */
  readonly serve?:
    | {
        /** Absent: the usual one, and nowhere when another process has it. */
        readonly address?: string | undefined;
        readonly hosts?: readonly string[];
        /** One token for everybody; absent, the cluster decides who may read. */
        readonly token?: string | undefined;
      }
    | undefined;
  /** Lets only one of several operators work; absent, this one works at once. */
  readonly leaderElection?: { readonly identity: string } | undefined;
  readonly volumes?: PodVolumeOptions;
  /** The image of pods that hold volumes during a migration; it needs `sleep`. */
  readonly stageImage?: string | undefined;
  readonly plugins?: PluginOptions;
  /** How actions are run; what is absent is as upstream has it. */
  readonly actions?: Partial<ActionSetDeps["actions"]>;
  /** Where the cluster asks before it stores Blueprints and ActionSets; nowhere when absent. */
  readonly webhook?: WebhookOptions | undefined;
  /** More controllers than the program's own, for tests. */
  readonly extra?: readonly Registration[];
}

/** What this program does itself, under the names that upstream's plugins have. */
const ownPlugins = [
  { name: "velero.io/aws", kind: "ObjectStore" },
  { name: "velero.io/azure", kind: "ObjectStore" },
  { name: "velero.io/gcp", kind: "ObjectStore" },
  { name: "headway.dev/filesystem", kind: "ObjectStore" },
  { name: "velero.io/pod", kind: "BackupItemAction" },
  { name: "velero.io/pv", kind: "BackupItemAction" },
  { name: "velero.io/service-account", kind: "BackupItemAction" },
];

/** Names of all controllers, for help texts. */
export const controllerNames: readonly string[] = registrations.map(({ name }) => name);

/** Runs the controllers until the signal fires; one that fails ends the others and is told. */
export async function startOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const chosen = choose([...registrations, ...(options.extra ?? [])], options.controllers);
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const cache = new Cache({ client: options.client, ...(options.clock && { clock: options.clock }) });
  const observation = openObservation({ ...options, cache });
  const links: Links = { downloads: undefined };
  const metrics = openVeleroMetrics();
  const served = await serve(options, observation, { links, metrics }, both);
  if (options.webhook) await startWebhook(options.webhook, options.log, both);
  const watching = observation.run(both);
  try {
    await elected(
      options,
      (leading) => runControllers({ ...options, cache }, chosen, { observation, links, metrics }, leading),
      both,
    );
  } finally {
    stop.abort();
    await watching;
    await served?.closed;
  }
}

/** Who serves links to files, once this operator leads. */
interface Links {
  downloads: Downloads | undefined;
}

async function serve(
  { client, serve, log, clock = systemClock, downloads }: OperatorOptions,
  { observer }: Observation,
  { links, metrics }: { readonly links: Links; readonly metrics: VeleroMetrics },
  signal: AbortSignal,
): Promise<Listening | undefined> {
  if (!serve) return undefined;
  const { address, hosts = [], token } = serve;
  const authorizer = token === undefined ? clusterAuthorizer(client, clock) : tokenAuthorizer(token);
  // Whoever the cluster knows acts with their own rights; the operator's are lent only to the one token of one's own machine.
  const cluster = {
    client,
    writes: true,
    backups: { upcoming, backupNow, deleteRequest },
    downloads: () => links.downloads?.base ?? downloads?.publicUrl,
    ...(token === undefined && { as: (own: string) => client.withToken(own) }),
  };
  const planRestore = planner(client, () => cluster.downloads());
  try {
    const listening = await listen(
      {
        observer,
        authorizer,
        address: address ?? "127.0.0.1:8085",
        hosts,
        clock,
        cluster: { ...cluster, planRestore },
        metrics,
      },
      signal,
    );
    log("info", `operations are served at ${listening.url}`);
    return listening;
  } catch (error) {
    if (address !== undefined) throw error;
    log("warning", "operations are not served; --listen chooses another address", { error });
    return undefined;
  }
}

async function elected(
  options: OperatorOptions,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { client, namespace, leaderElection, log } = options;
  if (!leaderElection) return work(signal);
  const elector = new LeaderElector({
    client,
    namespace,
    name: "headway-operator",
    identity: leaderElection.identity,
    onError: (error) => log("warning", "the lease cannot be kept", { error }),
  });
  await elector.run(work, signal);
}

async function runControllers(
  options: OperatorOptions & { readonly cache: Cache },
  chosen: readonly Registration[],
  { observation, links, metrics }: { observation: Observation; links: Links; metrics: VeleroMetrics },
  signal: AbortSignal,
): Promise<void> {
  const status = new StatusWriter({
    client: options.client,
    onDrop: (target, error) =>
      options.log("error", `a status of ${target.name} cannot be written`, { error }),
  });
  const plugins = pluginsOf(options);
  const stores = new Stores(options.client, plugins, options.tempDir ?? tmpdir());
  const openStore: OperatorDeps["openStore"] = (location, inner, how) => stores.open(location, inner, how);
  const downloads = options.downloads && downloadsOf(options, openStore);
  await downloads?.listen(signal);
  links.downloads = downloads;
  const report = new Reporter({
    status,
    clock: options.clock ?? systemClock,
    foldRoot(object, seen) {
      options.report?.(seen);
      return observation.report(object, seen);
    },
  });
  const deps = {
    ...depsOf(options, status, plugins, report),
    openStore,
    localUrl: linker(downloads),
    onArchive: (backup: Backup, bytes: number) => metrics.archived(backup, bytes),
  };
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const publishing = observation.publish(status, openStore, both);
  const names = chosen.map(({ name }) => name);
  const counting = feed(metrics, options, names, both);
  try {
    await Promise.all(
      chosen.map(async (one) => {
        try {
          await one.start(deps, both);
        } catch (error) {
          if (both.aborted) return;
          failed.abort();
          throw new AppError("OPERATOR_FAILED", `controller "${one.name}" stopped: ${messageOf(error)}`, {
            cause: error,
          });
        }
      }),
    );
  } finally {
    failed.abort();
    await Promise.all([publishing, counting]);
    await stores.close();
    await status.flush(AbortSignal.timeout(5_000)).catch(() => undefined); // what is lost is found again by the next start
    status.close();
  }
}

/** The registrations that `--controllers` asks for. */
export function choose(
  all: readonly Registration[],
  names: readonly string[] | undefined,
): readonly Registration[] {
  if (names === undefined || names.length === 0) return all;
  const odd = names.find((name) => !all.some((one) => one.name === name));
  if (odd !== undefined) {
    const known = all.map(({ name }) => name).join(", ");
    throw new AppError("USAGE", `there is no controller "${odd}"; there are ${known}`, { retry: false });
  }
  return all.filter(({ name }) => names.includes(name));
}

function downloadsOf(options: OperatorOptions, openStore: OperatorDeps["openStore"]): Downloads {
  const { client, namespace, clock = systemClock, downloads } = options;
  return new Downloads({
    listen: downloads?.listen ?? "127.0.0.1:0",
    publicUrl: downloads?.publicUrl,
    now: () => clock.now(),
    onError: (error) => options.log("warning", "a link could not be served", { error }),
    openStore: async (name, signal) => {
      const found = await client.get<BackupStorageLocation>(locations, name, { namespace }, signal);
      return openStore(found, signal);
    },
  });
}

function linker(downloads: Downloads | undefined): OperatorDeps["localUrl"] {
  return (location, key, ttlSeconds) => downloads?.url(location, key, ttlSeconds);
}

function pluginsOf({ namespace, log, clock = systemClock, plugins }: OperatorOptions): Plugins {
  return new Plugins({ namespace, log, clock, ...plugins });
}

function depsOf(
  options: OperatorOptions & { readonly cache: Cache },
  status: StatusWriter,
  plugins: Plugins,
  report: Reporter,
): Omit<OperatorDeps, "openStore" | "localUrl" | "onArchive"> {
  const { client, cache, namespace, log } = options;
  const common = {
    client,
    cache,
    namespace,
    clock: options.clock ?? systemClock,
    log,
    tempDir: options.tempDir ?? tmpdir(),
  };
  const { forgetMoved, ...copies } = podVolumesOf(common, options.volumes);
  const { removeCsi, ...csi } = csiOf({ ...common, forget: forgetMoved });
  const { runDeleteActions, ...itemActions } = itemActionsOf({ ...common, plugins });
  const { removeSnapshots, ...snapshots } = snapshotsOf({ ...common, status, report, plugins });
  return {
    ...common,
    ...copies,
    ...snapshots,
    ...csi,
    ...itemActions,
    // Plugins first: what they are told of is still there.
    beforeDelete: [runDeleteActions, ...copies.beforeDelete, removeSnapshots, removeCsi],
    status,
    report,
    liveLogs: new LiveLogs(() => common.clock.now()),
    runInPod: runInPods(options.client),
    runInPodAs: runInPods,
    restoreRights: options.restoreRights,
    serverVersion: options.serverVersion ?? "v1.18.0-headway",
    listPlugins: async (signal) => [
      ...ownPlugins,
      ...(await plugins.list(signal)).filter(({ fault }) => fault === undefined),
    ],
    backupDefaults: { ...backupDefaults, ...options.backupDefaults },
    concurrentBackups: options.concurrentBackups ?? 1,
    stageImage: options.stageImage ?? options.volumes?.helperImage ?? "headway",
    actions: { ...actionOptions({}), ...options.actions },
    priorities: options.priorities,
  };
}
