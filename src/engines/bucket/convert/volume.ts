import { mkdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { AppError, isCode } from "../../../errors.ts";
import {
  definitionOf,
  type Mover,
  type Repository,
  repositoryPlace,
  volumeSource,
} from "../../../movers/index.ts";
import type { Opening } from "../repositories.ts";
import { compareFolders } from "./compare.ts";
import type { Converted, ResticCopy } from "./rewrite.ts";

/** Which snapshot of restic's a snapshot of kopia's was made of: a later life finds by it what an earlier one did. */
const originTag = "headway.dev/restic-snapshot";

/** What is done with a volume, one after the other; each passes all of its bytes once. */
export const passes = ["read from restic", "write to kopia", "read back", "compare"] as const;

/** Hears how far a volume is: bytes of its pass so far, of its size. */
export type OnPass = (pass: (typeof passes)[number], bytes: number, size: number) => void;

/** What a conversion works with. */
export interface VolumeDeps {
  readonly opening: Opening;
  /** A private folder with room for a volume, twice. */
  readonly scratch: string;
  readonly targets: Targets;
}

/** The repositories of kopia that a conversion writes to: each is made ready once. Bounded by the namespaces. */
export class Targets {
  readonly #opening: Opening;
  readonly #mark: (namespace: string, signal: AbortSignal) => Promise<void>;
  readonly #ready = new Map<string, Map<string, string[]>>();

  /** `mark` marks a repository as upstream's servers do (1.17 and later). */
  constructor(opening: Opening, mark: (namespace: string, signal: AbortSignal) => Promise<void>) {
    this.#opening = opening;
    this.#mark = mark;
  }

  /** What an earlier life made of a snapshot of restic's. */
  async earlier(namespace: string, resticId: string, signal: AbortSignal): Promise<string[]> {
    const known = this.#ready.get(namespace) ?? (await this.#prepare(namespace, signal));
    const ids = known.get(resticId) ?? [];
    known.set(resticId, ids);
    return ids;
  }

  async #prepare(namespace: string, signal: AbortSignal): Promise<Map<string, string[]>> {
    const { place, password, mover } = this.#opening;
    const repository = { place: repositoryPlace(place, "kopia", namespace), password };
    await mover("kopia").ensureRepository(repository, signal);
    await this.#mark(namespace, signal);
    const made = new Map<string, string[]>();
    const start = `${originTag}:`;
    const take = ({ id, tags }: { readonly id: string; readonly tags: readonly string[] }) => {
      const origin = tags.find((tag) => tag.startsWith(start))?.slice(start.length);
      if (origin !== undefined) made.set(origin, [...(made.get(origin) ?? []), id]);
    };
    await mover("kopia").snapshots(repository, take, signal);
    this.#ready.set(namespace, made);
    return made;
  }
}

/** What became of a volume. */
export interface VolumeResult extends Converted {
  readonly files: number;
  /** Pipes, sockets and devices, which kopia does not store. */
  readonly special: number;
}

/** Copies one snapshot from restic to kopia, and reads it back: it counts only when every file of it is the same. */
export async function convertVolume(
  deps: VolumeDeps,
  copy: ResticCopy,
  onPass: OnPass,
  signal: AbortSignal,
): Promise<VolumeResult> {
  const { place, password, mover } = deps.opening;
  const at = (kind: "restic" | "kopia"): Repository => ({
    place: repositoryPlace(place, kind, copy.namespace),
    password,
  });
  const [restic, kopia] = [mover("restic"), mover("kopia")];
  const size = await restic.snapshotBytes(at("restic"), copy.resticId, signal);
  await needRoom(deps.scratch, 2 * size);
  const [from, back] = [join(deps.scratch, "from"), join(deps.scratch, "back")];
  try {
    await fresh(from);
    await restic.restore(
      {
        repository: at("restic"),
        snapshotId: copy.resticId,
        path: from,
        totalBytes: size,
        onProgress: ({ done }) => onPass("read from restic", done, size),
      },
      signal,
    );
    const earlier = await deps.targets.earlier(copy.namespace, copy.resticId, signal);
    const compare: Compare = async (kopiaId) => {
      await fresh(back);
      await kopia.restore(
        {
          repository: at("kopia"),
          snapshotId: kopiaId,
          path: back,
          totalBytes: size,
          onProgress: ({ done }) => onPass("read back", done, size),
        },
        signal,
      );
      return await compareFolders(from, back, (bytes) => onPass("compare", bytes, size), signal);
    };
    const make = () => upload(kopia, at("kopia"), { copy, from, size }, onPass, signal);
    return await found({ kopia, repository: at("kopia"), copy, earlier, compare, make }, signal);
  } finally {
    for (const folder of [from, back]) await rm(folder, { recursive: true, force: true });
  }
}

type Compare = (kopiaId: string) => ReturnType<typeof compareFolders>;

interface Search {
  readonly kopia: Mover;
  readonly repository: Repository;
  readonly copy: ResticCopy;
  /** Is kept up to date: another backup may have the same snapshot. */
  readonly earlier: string[];
  readonly compare: Compare;
  readonly make: () => Promise<{ readonly id: string; readonly bytes: number }>;
}

/** Takes what an earlier life wrote when it is whole; what it left half is removed. */
async function found(
  { kopia, repository, copy, earlier, compare, make }: Search,
  signal: AbortSignal,
): Promise<VolumeResult> {
  const { copy: name, resticId } = copy;
  for (const id of earlier.slice()) {
    const compared = await compare(id).catch((error: unknown) => {
      signal.throwIfAborted();
      if (isCode(error, "MOVER_EXIT") || isCode(error, "MOVER_SNAPSHOT")) return undefined; // half-written: made again
      throw error;
    });
    if (compared?.differences.length === 0) {
      const bytes = await kopia.snapshotBytes(repository, id, signal);
      return { copy: name, resticId, kopiaId: id, bytes, files: compared.files, special: compared.special };
    }
    await kopia.forget(repository, id, signal);
    earlier.splice(earlier.indexOf(id), 1);
  }
  const made = await make();
  const { differences, files, special } = await compare(made.id);
  if (differences.length > 0) {
    await kopia.forget(repository, made.id, signal);
    const what = `the snapshot of ${copy.namespace}/${copy.pod}/${copy.volume} came back otherwise from kopia: ${differences.join("; ")}`;
    throw new AppError("CONVERT_REFUSED", what, { retry: false });
  }
  earlier.push(made.id);
  return { copy: name, resticId, kopiaId: made.id, bytes: made.bytes, files, special };
}

async function upload(
  kopia: Mover,
  repository: Repository,
  { copy, from, size }: { readonly copy: ResticCopy; readonly from: string; readonly size: number },
  onPass: OnPass,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly bytes: number }> {
  const { namespace, pod, leaf, volume } = copy;
  const result = await kopia.backup(
    {
      repository,
      path: from,
      source: volumeSource("kopia", { namespace, pod, volume: leaf }),
      tags: { ...copy.tags, ...definitionOf("kopia").upstream.tags, [originTag]: copy.resticId },
      onProgress: ({ done }) => onPass("write to kopia", done, size),
    },
    signal,
  );
  if (result.snapshotId !== undefined && !result.unread)
    return { id: result.snapshotId, bytes: result.bytes };
  if (result.snapshotId !== undefined) await kopia.forget(repository, result.snapshotId, signal);
  const why = result.unread?.join("; ") ?? "it gave no snapshot";
  throw new AppError("CONVERT_REFUSED", `kopia did not store all of ${namespace}/${pod}/${volume}: ${why}`, {
    retry: false,
  });
}

async function fresh(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
}

async function needRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes) return;
  const what = `"${folder}" has ${bavail * bsize} bytes left, a volume needs ${bytes}: name a larger folder with --scratch`;
  throw new AppError("MOVER_SPACE", what, { retry: false });
}
