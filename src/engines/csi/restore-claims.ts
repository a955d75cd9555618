import {
  type Backup,
  type DataUpload,
  type KubeObject,
  parseGoDurationMs,
  type Restore,
  veleroNames,
} from "../../api/index.ts";
import { builtIn, isNotFound, labelValue, sleep } from "../../kube/index.ts";
import type { CsiDeps } from "./backup-claims.ts";
import { csiNames, newDataDownload, type SnapshotContent, type VolumeSnapshot } from "./objects.ts";
import { Downloads } from "./restore-downloads.ts";
import {
  claimAlone,
  claimForDownload,
  claimFromSnapshot,
  contentOfSnapshot,
  type RestoreItem,
  restoredContent,
  restoredName,
  restoredSnapshot,
  snapshotOfClaim,
  snapshotOfContent,
  types,
  uploadOfClaim,
} from "./restore-items.ts";
import { secretOf } from "./stored.ts";

interface Key {
  readonly groupResource: string;
  readonly namespace: string;
  readonly name: string;
}
type Place = { readonly namespace: string } | "velero" | "cluster";

/** What a run of a restore says about itself. */
interface RunContext {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly log: { fail(place: Place, message: string): void; warn(place: Place, message: string): void };
  target(namespace: string): string;
  archived(key: Key): Promise<RestoreItem | undefined>;
  readonly moved: () => void;
}

/** An item on its way from the archive into the cluster. */
interface Way {
  readonly groupResource: string;
  readonly archived: RestoreItem;
  readonly item: RestoreItem;
  readonly target: string;
}
type Outcome = { readonly item: RestoreItem } | { readonly skip: string };

/** A claim that its driver fills from a snapshot. */
interface Filled {
  readonly namespace: string;
  readonly claim: string;
  readonly snapshot: string;
}

const { snapshots, snapshotContents, snapshotClasses, claims } = builtIn;
const tenMinutesMs = 600_000;
/** So long a driver may say that it cannot use a snapshot; its sidecar tries again by itself. */
const failingMs = 30_000;

/** Opens the snapshots and the moved data of one restore's run. */
export function claimRestores(deps: CsiDeps) {
  return async (context: RunContext, signal: AbortSignal): Promise<RestoreClaims> => {
    const run = new RestoreClaims(deps, context);
    await run.open(signal);
    return run;
  };
}

/** The claims of one restore whose data comes out of snapshots. Bounded by their number. */
class RestoreClaims {
  readonly #deps: CsiDeps;
  readonly #context: RunContext;
  readonly #restoresVolumes: boolean;
  readonly #filled: Filled[] = [];
  readonly #downloads: Downloads;
  /** Classes of this cluster by driver; undefined until one is needed. */
  #classes: ReadonlyMap<string, string> | undefined;

  constructor(deps: CsiDeps, context: RunContext) {
    this.#deps = deps;
    this.#context = context;
    this.#downloads = new Downloads(deps, context);
    this.#restoresVolumes = context.restore.spec?.restorePVs !== false;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#downloads.open(signal);
  }

  needs(groupResource: string, archived: RestoreItem): readonly Key[] {
    if (!this.#restoresVolumes) return [];
    const { namespace = "" } = archived.metadata;
    switch (groupResource) {
      case types.claims: {
        const name = uploadOfClaim(archived) ? undefined : snapshotOfClaim(archived);
        return name === undefined ? [] : [{ groupResource: types.snapshots, namespace, name }];
      }
      case types.snapshots: {
        const name = contentOfSnapshot(archived);
        return name === undefined ? [] : [{ groupResource: types.contents, namespace: "", name }];
      }
      case types.contents: {
        const secret = secretOf(archived.metadata.annotations, "snapshotter-secret");
        return secret
          ? [{ groupResource: "secrets", namespace: secret.namespace ?? "", name: secret.name }]
          : [];
      }
      default:
        return [];
    }
  }

  async act(way: Way, signal: AbortSignal): Promise<Outcome | undefined> {
    switch (way.groupResource) {
      case types.claims:
        return this.#claim(way, signal);
      case types.snapshots:
        return this.#snapshot(way);
      case types.contents:
        return this.#content(way, signal);
      case types.classes:
        return this.#restoresVolumes ? undefined : { skip: "the restore brings no volumes back" };
      case types.uploads:
        return { skip: "it is read, not restored" };
      default:
        return undefined;
    }
  }

  list() {
    return this.#downloads.list();
  }

  async finish(signal: AbortSignal): Promise<void> {
    await this.#waitForSnapshots(signal);
    await this.#downloads.finish(signal);
  }

  async volumeInfos(signal: AbortSignal): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const filled = await Promise.all(this.#filled.map((one) => this.#filledInfo(one, signal)));
    return [...filled.flatMap((one) => one ?? []), ...this.#downloads.infos()];
  }

  cancel(signal: AbortSignal): Promise<void> {
    return this.#downloads.cancel(signal);
  }

  async #claim({ archived, item, target }: Way, signal: AbortSignal): Promise<Outcome | undefined> {
    const upload = uploadOfClaim(archived);
    const snapshot = snapshotOfClaim(archived);
    if (!upload && snapshot === undefined) return undefined;
    if (!this.#restoresVolumes) return { item: claimAlone(item) };
    // A claim that is there keeps its data, whatever the backup holds.
    if (await this.#isThere(target, item.metadata.name, signal)) return undefined;
    if (upload) return { item: await this.#download(archived, item, target, upload, signal) };
    const name = restoredName(this.#context.restore, snapshot ?? "");
    const key = {
      groupResource: types.snapshots,
      namespace: archived.metadata.namespace ?? "",
      name: snapshot ?? "",
    };
    if (!(await this.#context.archived(key)))
      throw new Error(
        `its VolumeSnapshot "${snapshot}" is not in the backup, so that its data cannot be brought back`,
      );
    this.#filled.push({ namespace: target, claim: item.metadata.name, snapshot: name });
    return { item: claimFromSnapshot(item, name) };
  }

  #snapshot({ archived, item }: Way): Outcome {
    if (!this.#restoresVolumes) return { skip: "the restore brings no volumes back" };
    if (contentOfSnapshot(archived) === undefined)
      throw new Error(
        "the backup does not say which VolumeSnapshotContent it has, so that it cannot be used",
      );
    return { item: restoredSnapshot(item, restoredName(this.#context.restore, archived.metadata.name)) };
  }

  async #content({ archived, item }: Way, signal: AbortSignal): Promise<Outcome> {
    if (!this.#restoresVolumes) return { skip: "the restore brings no volumes back" };
    const { restore } = this.#context;
    const snapshot = snapshotOfContent(archived);
    const { driver } = (archived["spec"] ?? {}) as { driver?: string }; // anything else finds no class
    this.#classes ??= await this.#readClasses(signal);
    const place = {
      name: restoredName(restore, snapshot.name),
      namespace: this.#context.target(snapshot.namespace),
      className: this.#classes.get(driver ?? ""),
    };
    return { item: restoredContent(archived, item, place) };
  }

  async #readClasses(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const all = await this.#deps.client.list<KubeObject & { readonly driver?: string }>(
      snapshotClasses,
      {},
      signal,
    );
    return new Map(all.toReversed().map(({ driver = "", metadata }) => [driver, metadata.name]));
  }

  /** Asks for the data before the claim is made: a process that dies between the two leaves no claim that nobody fills. */
  async #download(
    archived: RestoreItem,
    item: RestoreItem,
    target: string,
    [namespace, name]: readonly [string, string],
    signal: AbortSignal,
  ): Promise<RestoreItem> {
    const { restore, backup } = this.#context;
    const found = await this.#context.archived({ groupResource: types.uploads, namespace, name });
    if (!found)
      throw new Error(
        `its DataUpload "${namespace}/${name}" is not in the backup, so that its data cannot be found`,
      );
    const upload = found as unknown as DataUpload; // read field by field
    if (!upload.status?.snapshotID)
      throw new Error(
        `its data was not moved: DataUpload "${name}" ended as ${upload.status?.phase ?? "New"}`,
      );
    const { uid: claimUid = "" } = archived.metadata as { uid?: string }; // the archive's own shape
    const place = { namespace: target, name: item.metadata.name };
    await this.#downloads.ask(newDataDownload({ restore, backup, upload, claimUid, target: place }), signal);
    return claimForDownload(item, restore);
  }

  async #isThere(namespace: string, name: string, signal: AbortSignal): Promise<boolean> {
    try {
      const found = await this.#deps.client.get<KubeObject>(claims, name, { namespace }, signal);
      const label = labelValue(this.#context.restore.metadata.name);
      return found.metadata.labels?.[veleroNames.restoreName] !== label;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** A handle that the driver does not know leaves the claim without a volume for ever: better told than found out. */
  async #waitForSnapshots(signal: AbortSignal): Promise<void> {
    const { clock, client, pollMs = 1000 } = this.#deps;
    const { log, backup } = this.#context;
    const limitMs = parseGoDurationMs(backup.spec?.csiSnapshotTimeout ?? "") || tenMinutesMs;
    const begunMs = clock.monotonic();
    let open: readonly Filled[] = this.#filled;
    for (;;) {
      const left: Filled[] = [];
      for (const one of open) {
        const fault = await snapshotFault(client, one, signal);
        if (fault === undefined) continue;
        const patience = { lost: 0, failing: failingMs, slow: limitMs }[fault.kind];
        if (clock.monotonic() - begunMs < patience) left.push(one);
        else
          log.fail(
            { namespace: one.namespace },
            `PersistentVolumeClaim "${one.claim}" is not filled from its snapshot: ${fault.text}`,
          );
      }
      open = left;
      if (open.length === 0) return;
      await sleep(clock, pollMs, signal);
    }
  }

  async #filledInfo({ namespace, claim, snapshot }: Filled, signal: AbortSignal) {
    const { client } = this.#deps;
    const found = await client
      .get<VolumeSnapshot>(snapshots, snapshot, { namespace }, signal)
      .catch(() => undefined); // a line less in a list
    if (!found) return undefined;
    const annotations = found.metadata.annotations ?? {};
    return {
      pvcName: claim,
      pvcNamespace: namespace,
      restoreMethod: "CSISnapshot",
      snapshotDataMoved: false,
      csiSnapshotInfo: {
        snapshotHandle: annotations[csiNames.handle] ?? "",
        size: Number(found.status?.restoreSize ?? 0) || 0,
        driver: annotations[csiNames.driver] ?? "",
        vscName: snapshot,
      },
    };
  }
}

/** Why a claim cannot be filled from its snapshot now; undefined when it can. */
async function snapshotFault(
  client: CsiDeps["client"],
  { namespace, snapshot }: Filled,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly kind: "lost" | "failing" | "slow" } | undefined> {
  const orNothing = (error: unknown): undefined => {
    if (!isNotFound(error)) throw error;
  };
  const content = await client.get<SnapshotContent>(snapshotContents, snapshot, {}, signal).catch(orNothing);
  if (!content) return { text: "its VolumeSnapshotContent was not restored", kind: "lost" };
  if (content.status?.readyToUse === true) return undefined;
  const said = content.status?.error?.message;
  const found = await client.get<VolumeSnapshot>(snapshots, snapshot, { namespace }, signal).catch(orNothing);
  if (!found) return { text: "its VolumeSnapshot was not restored", kind: "lost" };
  if (said !== undefined) return { text: said, kind: "failing" };
  return { text: "the CSI driver does not say that the snapshot is ready", kind: "slow" };
}
