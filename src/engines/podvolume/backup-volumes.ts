import {
  type Backup,
  kinds,
  type PodVolumeBackup,
  parseGoDurationMs,
  type VolumeFacts,
  veleroNames,
  veleroPhaseOf,
} from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { isVolumeEnded } from "../../kinds/index.ts";
import { sleep, type View } from "../../kube/index.ts";
import { agentLives } from "./agent-lease.ts";
import { type Chosen, chooseVolumes, type VolumeVerdict } from "./choose.ts";
import { knowVolumes, type VolumeKnown } from "./claims.ts";
import { Copies } from "./copies.ts";
import { lastSizeOf, lastSizes } from "./last-copy.ts";
import { newPodVolumeBackup, type Uploader } from "./objects.ts";
import { claimOf, type PodObject, type PodVolume } from "./pod.ts";
import { Repositories, type RepositoryDeps } from "./repositories.ts";
import { resources } from "./resources.ts";

/** What copying the volumes of backups needs. */
export interface PodVolumeDeps extends RepositoryDeps {
  readonly uploader: Uploader;
  /** A copy of which nothing changes for so long is given up, unless its backup or restore says otherwise. */
  readonly noProgressMs: number;
}

/** A warning or an error goes to its subject. */
interface Findings {
  add(
    subject: { readonly resource?: string; readonly namespace?: string | undefined; readonly name?: string },
    message: string,
    error?: string,
  ): void;
}
interface Found {
  readonly warnings: Findings;
  readonly errors: Findings;
}

/** A claim that is not copied: because it was asked so, because it cannot be, or after an error that was told. */
interface LeftClaim {
  readonly claim: string;
  readonly reason: string;
  readonly isWish?: boolean;
  readonly isTold?: boolean;
}

interface Started {
  readonly copied: readonly string[];
  readonly left: readonly LeftClaim[];
}

/** What a run of a backup says about itself. */
interface RunContext {
  readonly backup: Backup;
  readonly policy: (facts: VolumeFacts) => VolumeVerdict;
  readonly takesClaims: boolean;
  readonly moved: () => void;
  readonly doing?: ((what: string) => void) | undefined;
}

/** Opens the volumes of one backup's run; copies that an earlier run started are found again. */
export function podVolumeBackups(deps: PodVolumeDeps, repositories = new Repositories(deps)) {
  return async (context: RunContext, signal: AbortSignal): Promise<BackupVolumes> => {
    const run = new BackupVolumes(deps, repositories, context, signal);
    await run.open();
    return run;
  };
}

/** The volumes of one backup's run. */
class BackupVolumes {
  readonly #deps: PodVolumeDeps;
  readonly #repositories: Repositories;
  readonly #context: RunContext;
  readonly #signal: AbortSignal;
  readonly #copies: Copies<PodVolumeBackup>;
  /** Every copy of any backup, to know how large volumes were. */
  readonly #earlier: View<PodVolumeBackup>;
  #sizes: ReadonlyMap<string, number> | undefined;
  /** Repositories that could be used in this run: asked once each. As many as namespaces with volumes. */
  readonly #opened = new Map<string, Promise<void>>();
  /** A node of each namespace whose volumes are planned: as many as namespaces with such pods. */
  readonly #ahead = new Map<string, string>();
  /** Copies that were given up or could not be started, told once. */
  readonly #told = new Set<string>();

  constructor(deps: PodVolumeDeps, repositories: Repositories, context: RunContext, signal: AbortSignal) {
    this.#deps = deps;
    this.#repositories = repositories;
    this.#context = context;
    this.#signal = signal;
    this.#copies = new Copies<PodVolumeBackup>({
      ...deps,
      kind: kinds.PodVolumeBackup,
      label: [veleroNames.backupUid, context.backup.metadata.uid ?? ""],
      onChange: () => context.moved(),
      onError: (error) => deps.log("warning", "cannot watch pod volume backups", { error }),
    });
    const { namespace } = deps;
    this.#earlier = deps.cache.view<PodVolumeBackup>(kinds.PodVolumeBackup, { namespace });
  }

  async open(): Promise<void> {
    void this.#earlier.run(this.#signal);
    await this.#copies.open(this.#signal);
  }

  /** Policies and claims are not looked at: what they leave out drops out when the pod's turn comes. */
  plan(pod: PodObject): readonly { readonly volume: string; readonly bytes?: number | undefined }[] {
    const all = this.#context.backup.spec?.defaultVolumesToFsBackup === true;
    const { volumes } = chooseVolumes(pod, { all, claimsIncluded: this.#context.takesClaims });
    const { namespace = "" } = pod.metadata;
    if (volumes.length > 0) this.#ahead.set(namespace, pod.spec?.nodeName ?? "");
    this.#sizes ??= lastSizes(this.#earlier.objects());
    return volumes.map((volume) => ({
      volume: volume.name,
      bytes: this.#sizes?.get(`${namespace}/${claimOf(pod, volume) ?? ""}`),
    }));
  }

  /** A new repository takes a while to make: the items need not wait for it. */
  prepare(signal: AbortSignal): void {
    const one = async () => {
      for (const [namespace, node] of this.#ahead) await this.#ready(namespace, node, signal);
    };
    one().catch(() => undefined); // the first pod that needs it tells why it cannot be used
  }

  async start(pod: PodObject, found: Found, signal: AbortSignal): Promise<Started> {
    const known = await knowVolumes(this.#deps.client, pod, signal);
    const chosen = chooseVolumes(pod, {
      all: this.#context.backup.spec?.defaultVolumesToFsBackup === true,
      claimsIncluded: this.#context.takesClaims,
      verdict: (volume) => this.#context.policy(known.get(volume.name)?.facts ?? {}),
      hostPathVolumes: new Set(
        [...known].filter(([, one]) => one.claim && one.facts.type === "hostPath").map(([name]) => name),
      ),
    });
    const subject = { resource: "pods", namespace: pod.metadata.namespace, name: pod.metadata.name };
    const claimed = (volume: string) => {
      const claim = known.get(volume)?.claim;
      return claim && `${pod.metadata.namespace}/${claim.name}`;
    };
    const left = leftClaims(chosen, claimed);
    for (const { volume, reason } of chosen.skipped) {
      // Another pod may copy the claim: whoever sees all pods tells of those that nobody copies.
      if (!claimed(volume)) found.warnings.add(subject, `volume "${volume}" is not copied: ${reason}`);
    }
    if (chosen.volumes.length === 0) return { copied: [], left };
    const copied: string[] = [];
    try {
      const { namespace = "" } = pod.metadata;
      await this.#ready(namespace, pod.spec?.nodeName ?? "", signal, this.#context.doing);
      for (const volume of chosen.volumes) {
        const claim = await this.#begin(pod, volume, known.get(volume.name), signal);
        if (claim !== undefined) copied.push(`${pod.metadata.namespace}/${claim}`);
      }
    } catch (error) {
      signal.throwIfAborted();
      const names = chosen.volumes.map(({ name }) => name).join(", ");
      found.errors.add(subject, `volumes ${names} are not copied`, messageOf(error));
      const told = chosen.volumes.flatMap(({ name }) => claimed(name) ?? []);
      const reason = messageOf(error);
      left.push(...told.map((claim) => ({ claim, reason, isTold: true })));
    }
    return { copied, left };
  }

  async settled(
    pod: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
  ): Promise<void> {
    const ofPod = ({ spec }: PodVolumeBackup) =>
      spec?.pod.namespace === pod.namespace && spec.pod.name === pod.name && !this.#told.has(volumeKey(spec));
    await this.#wait(ofPod, signal);
  }

  async finish(found: Found, signal: AbortSignal): Promise<void> {
    const lost = await this.#wait((pvb) => !this.#told.has(volumeKey(pvb.spec)), signal);
    for (const pvb of lost) {
      const limit = Math.round(this.#limitMs() / 1000);
      found.errors.add(
        subjectOf(pvb),
        `volume "${pvb.spec?.volume}" is given up`,
        `nothing moved for ${limit} s`,
      );
    }
    for (const pvb of this.#copies.all()) {
      const phase = veleroPhaseOf(pvb.status);
      if (phase === "Completed" && pvb.status?.message) {
        found.errors.add(subjectOf(pvb), `volume "${pvb.spec?.volume}" is incomplete`, pvb.status.message);
      } else if (phase === "Failed" || phase === "Canceled") {
        const why = pvb.status?.message ?? phase.toLowerCase();
        found.errors.add(subjectOf(pvb), `volume "${pvb.spec?.volume}" could not be copied`, why);
      }
    }
  }

  list(): readonly PodVolumeBackup[] {
    return this.#copies.all();
  }

  async cancel(): Promise<void> {
    const late = AbortSignal.timeout(60_000);
    const { client, clock, namespace } = this.#deps;
    await this.#copies.cancel(this.#copies.all(), late);
    // The run's own signal has fired, and with it the watch.
    const query = {
      namespace,
      labelSelector: `${veleroNames.backupUid}=${this.#context.backup.metadata.uid ?? ""}`,
    };
    for (;;) {
      const all = await client.list<PodVolumeBackup>(resources.podVolumeBackups, query, late);
      if (all.every(({ status }) => isVolumeEnded(status))) return;
      await sleep(clock, 500, late);
    }
  }

  async #wait(
    which: (pvb: PodVolumeBackup) => boolean,
    signal: AbortSignal,
  ): Promise<readonly PodVolumeBackup[]> {
    const { client, namespace, clock } = this.#deps;
    const lives = (pvb: PodVolumeBackup) =>
      agentLives(client, { namespace, node: pvb.spec?.node ?? "", nowMs: clock.now() }, signal);
    const lost = await this.#copies.ended(which, this.#limitMs(), lives, signal);
    for (const pvb of lost) this.#told.add(volumeKey(pvb.spec));
    if (lost.length > 0) await this.#copies.cancel(lost, signal);
    return lost;
  }

  #limitMs(): number {
    const said = this.#context.backup.metadata.annotations?.[veleroNames.podVolumeTimeout];
    return (said === undefined ? undefined : parseGoDurationMs(said)) || this.#deps.noProgressMs;
  }

  /** Somebody must be there to copy, and somewhere to copy to. */
  async #ready(
    volumeNamespace: string,
    node: string,
    signal: AbortSignal,
    doing?: (what: string) => void,
  ): Promise<void> {
    const { client, namespace, clock, uploader } = this.#deps;
    if (!(await agentLives(client, { namespace, node, nowMs: clock.now() }, signal))) {
      throw new Error(`no node agent runs on node "${node}"`);
    }
    const known = this.#opened.get(volumeNamespace);
    if (!known) doing?.(`opening the repository of namespace ${volumeNamespace}`);
    const location = this.#context.backup.spec?.storageLocation ?? "";
    const opened = known ?? this.#repositories.ensure({ volumeNamespace, location, type: uploader }, signal);
    this.#opened.set(volumeNamespace, opened);
    try {
      await opened;
    } catch (error) {
      this.#opened.delete(volumeNamespace); // the next pod tries again
      throw error;
    }
  }

  /** Starts a copy unless there is one; returns the claim that it covers. */
  async #begin(
    pod: PodObject,
    volume: PodVolume,
    known: VolumeKnown | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { client, uploader, namespace } = this.#deps;
    const claim = known?.claim;
    const same = this.#copies.all().find((pvb) => {
      // A claim that several pods mount is taken once.
      if (claim && pvb.metadata.labels?.[veleroNames.pvcUid] === claim.uid) return true;
      return pvb.spec?.pod.uid === pod.metadata.uid && pvb.spec?.volume === volume.name;
    });
    if (!same) {
      const object = newPodVolumeBackup({
        backup: this.#context.backup,
        pod,
        volume: volume.name,
        claim,
        uploader,
        expectedBytes: claim && (await lastSizeOf(client, { namespace, uid: claim.uid }, signal)),
      });
      this.#copies.add(await client.create<PodVolumeBackup>(resources.podVolumeBackups, object, {}, signal));
    }
    return claim?.name;
  }
}

function leftClaims(
  { skipped, unwanted }: Chosen,
  claimOf: (volume: string) => string | undefined,
): LeftClaim[] {
  const named = (passed: { readonly volume: string; readonly reason: string }, isWish: boolean) => {
    const claim = claimOf(passed.volume);
    return claim === undefined ? [] : [{ claim, reason: passed.reason, isWish }];
  };
  return [...skipped.flatMap((one) => named(one, false)), ...unwanted.flatMap((one) => named(one, true))];
}

function volumeKey(spec: PodVolumeBackup["spec"]): string {
  return `${spec?.pod.uid}/${spec?.volume}`;
}

function subjectOf({ spec }: PodVolumeBackup) {
  return { resource: "pods", namespace: spec?.pod.namespace, name: spec?.pod.name ?? "" };
}
