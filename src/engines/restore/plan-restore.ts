import { type Backup, type BackupStorageLocation, kinds, type Restore } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { RestorePlan } from "../../kinds/index.ts";
import { builtIn, type Client, type Clock, labelValue, missingRight, resourceOf } from "../../kube/index.ts";
import { type BackupFile, backupKey } from "../../store/index.ts";
import { admit } from "./admission.ts";
import type { DryCluster } from "./dry-cluster.ts";
import { actionSettings, type Home, itemRulesOf, modifiersOf, podVolumeBackupsOf } from "./given.ts";
import type { OpenRestoreOperations } from "./item-operations.ts";
import { type PlanOptions, planItems } from "./plan-items.ts";
import type { Cluster } from "./served.ts";
import type { PodVolumeRestores } from "./volumes.ts";

/** The files of a backup that a plan reads. */
export type PlanFile = Extract<BackupFile, "contents" | "volumeInfo" | "volumeSnapshots">;

/** What whoever looks ahead has. */
export interface PlanDeps {
  /** With the rights of whoever asks, and with no others. */
  readonly client: Cluster & Pick<Client, "list">;
  /** The namespace of the server's own objects. */
  readonly namespace: string;
  readonly clock: Clock;
  /** A file of a backup as it lies in its location; undefined when there is none. */
  read(file: PlanFile, backup: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** How pods with volumes are held back. */
  readonly prepare?: PodVolumeRestores["prepare"] | undefined;
  /** Whether native snapshots can be made into volumes; yes unless told otherwise. */
  readonly hasSnapshotter?: boolean;
  readonly openOperations?: ((cluster: DryCluster) => readonly OpenRestoreOperations[]) | undefined;
  readonly parallel?: number;
  readonly moved?: PlanOptions["moved"];
}

const parallel = 16;
const notes = [
  "plugins are not called: an item that one of them would change or leave out is shown as it is without it",
  "the restore acts with the rights of its own account; this was asked with yours",
];

/** Finds out what a Restore would do that may not exist yet. Nothing is written, and nothing but its parts is read. */
export async function planRestore(
  wanted: Restore,
  deps: PlanDeps,
  signal: AbortSignal,
): Promise<
  Omit<RestorePlan, "time"> & { readonly from: Backup | undefined; readonly spec: Restore["spec"] }
> {
  const { client, namespace } = deps;
  const lacking = new Set<string>();
  const home = withoutRefusals(deps, lacking);
  const admission = admit(wanted, {
    backups: await client.list<Backup>(resourceOf(kinds.Backup), { namespace }, signal),
    locations: await client.list<BackupStorageLocation>(
      resourceOf(kinds.BackupStorageLocation),
      { namespace },
      signal,
    ),
    labelValue,
  });
  const modifiers = await modifiersOf(deps, wanted, signal);
  const policy = await itemRulesOf(deps, wanted, signal);
  const faults = [
    ...admission.faults,
    ...[modifiers, policy].flatMap((each) => ("fault" in each ? [each.fault] : [])),
  ];
  const { backup, spec } = admission;
  const head = { restore: wanted.metadata.name, backup: backup?.metadata.name ?? "", from: backup, spec };
  if (faults.length > 0 || backup === undefined) return { ...head, ...nothing, faults, notes: [] };
  const restore: Restore = { ...wanted, metadata: { ...wanted.metadata, uid: "plan" }, spec };
  const text = "text" in modifiers ? modifiers.text : undefined;
  const store = storeOf(deps, backup.metadata.name);
  const found = await planItems(
    {
      restore,
      backup,
      cluster: client,
      store,
      clock: deps.clock,
      parallel: deps.parallel ?? parallel,
      podVolumeBackups: await podVolumeBackupsOf(home, backup, store, signal),
      prepare: deps.prepare,
      hasSnapshotter: deps.hasSnapshotter ?? true,
      openOperations: deps.openOperations,
      settings: {
        ...(await actionSettings(home, signal)),
        ...(text !== undefined && { modifiers: text }),
        ...("rules" in policy && policy.rules && { rules: policy.rules }),
      },
      mayRead: (type, space, stop) => mayRead(client, type, space, stop),
      moved: deps.moved,
    },
    signal,
  );
  return { ...head, ...found, faults: [], notes: [...notes, ...lacks(lacking, namespace)] };
}

/** Lists of the server's own objects; those that the person may not have are empty, and written down. */
function withoutRefusals({ client, namespace }: PlanDeps, lacking: Set<string>): Home {
  return {
    namespace,
    client: {
      get: (resource, name, place, signal) => client.get(resource, name, place, signal),
      list: async (resource, query, signal) => {
        try {
          return await client.list(resource, query, signal);
        } catch (error) {
          if (!missingRight(error)) throw error;
          lacking.add(resource.plural);
          return [];
        }
      },
    },
  };
}

function lacks(plurals: ReadonlySet<string>, namespace: string): readonly string[] {
  return [...plurals].map(
    (plural) =>
      `you may not list ${plural} in namespace "${namespace}": what the restore takes from them is not in the plan`,
  );
}

const nothing = {
  counts: { create: 0, update: 0, skip: 0, conflict: 0, refused: 0, unknown: 0 },
  notAsked: 0,
  groups: [],
  items: [],
  moreItems: 0,
  volumes: [],
  bytes: 0,
  hooks: 0,
  hidden: [],
} as const;

/** Asks the API server whether whoever asks may read a type; for namespaces, one of them by its name. */
async function mayRead(
  client: Pick<Client, "create">,
  groupResource: string,
  namespace: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource = "", ...group] = groupResource.split(".");
  const resourceAttributes = {
    verb: "get",
    group: group.join("."),
    resource,
    ...(namespace !== "" && { namespace }),
    ...(groupResource === "namespaces" && { name: namespace }),
  };
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes },
  };
  const answer = await client.create<Review>(builtIn.selfSubjectAccessReviews, body, {}, signal);
  return answer.status?.allowed === true;
}

type Review = Restore & { readonly status?: { readonly allowed?: boolean } };

/** The files of one backup as a store has them; a file is asked for once, when somebody first looks. */
function storeOf(deps: PlanDeps, backup: string): PlanOptions["store"] {
  const files = new Map<string, PlanFile>(
    (["contents", "volumeInfo", "volumeSnapshots"] as const).map((file) => [backupKey(backup, file), file]),
  );
  const open = (key: string, signal?: AbortSignal) => {
    const file = files.get(key);
    return file && deps.read(file, backup, signal ?? new AbortController().signal);
  };
  const seen = new Map<string, AsyncIterable<Uint8Array>>();
  return {
    place: `the location of backup "${backup}"`,
    head: async (key, signal) => {
      const bytes = await open(key, signal);
      if (bytes) seen.set(key, bytes);
      return bytes && { key };
    },
    get: async (key, signal) => {
      const bytes = seen.get(key) ?? (await open(key, signal));
      seen.delete(key);
      if (bytes) return bytes;
      throw new AppError("STORE_MISSING", `read "${key}": the location of the backup does not have it`);
    },
  };
}
