import type { Sample } from "../progress/index.ts";
import type { ContentsReader } from "./contents/reader.ts";
import type { OnSnapshot } from "./listing.ts";
import type { OnLook } from "./vitals.ts";

/** Keys for S3, as `parseCredentials` of the store gives them. */
interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where a repository lies. */
export type Place = { readonly kind: "filesystem"; readonly path: string } | S3Place | AzurePlace | GcsPlace;

/** A repository in a bucket. */
export interface S3Place {
  readonly kind: "s3";
  readonly bucket: string;
  /** Without slashes at its ends; "" is the whole bucket. */
  readonly prefix: string;
  readonly region?: string;
  /** An http or https address; without it AWS. */
  readonly endpoint?: string;
  /** Without them the mover asks its usual chain (environment, web identity, instance). */
  readonly keys?: S3Keys;
  /** PEM text. */
  readonly caCert?: string;
  readonly skipVerify?: boolean;
}

/** A repository in a container of Azure's. */
export interface AzurePlace {
  readonly kind: "azure";
  readonly container: string;
  /** Without slashes at its ends; "" is the whole container. */
  readonly prefix: string;
  readonly account: string;
  /** What follows `<account>.` in the address of its blobs, such as `blob.core.windows.net`. */
  readonly domain: string;
  readonly access: AzureKeys;
  /** Where identities get their tokens. */
  readonly login?: string;
  /** PEM text. */
  readonly caCert?: string;
}

/** What opens a container: the account's key, or an identity. */
export type AzureKeys =
  | { readonly by: "key"; readonly key: string }
  | { readonly by: "secret"; readonly tenant: string; readonly client: string; readonly secret: string }
  /** PEM text of the certificate and its private key, which has no password. */
  | { readonly by: "certificate"; readonly tenant: string; readonly client: string; readonly pem: string }
  /** A token that the cluster keeps in a file: workload identity. */
  | { readonly by: "federated"; readonly tenant: string; readonly client: string; readonly file: string }
  /** The machine's own identity. */
  | { readonly by: "managed"; readonly client?: string };

/** A repository in a bucket of Google's. */
export interface GcsPlace {
  readonly kind: "gcs";
  readonly bucket: string;
  /** Without slashes at its ends; "" is the whole bucket. */
  readonly prefix: string;
  /** JSON text; without it the mover asks its usual chain (environment, workload identity, instance). */
  readonly credentials?: string;
  /** The domain of the cloud, where it is not Google's own. */
  readonly universe?: string;
  /** PEM text. */
  readonly caCert?: string;
}

/** A repository: its place and the password that opens it. */
export interface Repository {
  readonly place: Place;
  readonly password: string;
  /** What its caches may take; as the mover's options say when absent. */
  readonly cacheBytes?: number;
}

/** Hears how far the mover is, and what went to the store where it tells that. Totals may grow while it is still counting. */
export type OnProgress = (sample: Sample, sentBytes?: number) => void;

/** A folder to back up, or a device. */
export interface BackupRequest {
  readonly repository: Repository;
  readonly path: string;
  /** The path is a device: its bytes are stored as one object. Not every mover can. */
  readonly block?: boolean;
  /** What the data is, stable over pods: some movers find the former snapshot by it (`volumeSource`). */
  readonly source: string;
  readonly tags: Readonly<Record<string, string>>;
  /** As the data functions of actions keep a folder: with its whole path, found by this tag; `source` and `tags` say nothing then. */
  readonly tag?: string;
  /** The snapshot to compare with, for movers that want to be told. */
  readonly parent?: string;
  readonly parallel?: number;
  readonly onProgress?: OnProgress;
  readonly onLook?: OnLook;
}

/** What a backup gave. */
export interface BackupResult {
  /** Absent when the folder was empty and the mover stores no empty snapshots. */
  readonly snapshotId?: string;
  /** Size of what was read. */
  readonly bytes: number;
  /** Size of what was new; rounded where the mover says it so. */
  readonly incrementalBytes?: number;
  /** What that takes in the store, where the mover tells it. */
  readonly storedBytes?: number;
  readonly files?: number;
  /** Some files could not be read; the first reasons. The snapshot has all the others. */
  readonly unread?: readonly string[];
}

/** A snapshot to bring back. */
export interface RestoreRequest {
  readonly repository: Repository;
  readonly snapshotId: string;
  readonly path: string;
  /** The path that the snapshot has itself lies below, or what is given of it alone: the other side of a backup with a `tag`. */
  readonly below?: { readonly subPath: string };
  /** The path is a device, and the snapshot that of one: its bytes are written to the device. */
  readonly block?: boolean;
  /** The snapshot's size when known; else the repository is asked. */
  readonly totalBytes?: number;
  readonly sparse?: boolean;
  readonly parallel?: number;
  readonly onProgress?: OnProgress;
  readonly onLook?: OnLook;
}

/** What a restore gave. */
export interface RestoreResult {
  readonly bytes: number;
}

/** A repository to maintain. */
export interface MaintainRequest {
  readonly repository: Repository;
  readonly quick?: boolean;
}

/** What a snapshot holds. */
export interface Measured {
  readonly bytes: number;
  readonly files: number;
}

/** What was given back: bytes, or the mover's own words for them. */
export type Freed = { readonly bytes: number } | { readonly words: string };

/** What engines need of a data mover. Every call ends its processes when the signal says so. */
export interface Mover extends ContentsReader {
  readonly kind: string;
  /** The program's version, such as "0.18.0". */
  version(signal?: AbortSignal): Promise<string>;
  /** Opens the repository, or makes it when there is none. A wrong password never makes a second one. */
  ensureRepository(repository: Repository, signal?: AbortSignal): Promise<void>;
  backup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult>;
  restore(request: RestoreRequest, signal?: AbortSignal): Promise<RestoreResult>;
  /** Bytes that a restore of this snapshot writes. */
  snapshotBytes(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<number>;
  /** Tells every snapshot of a repository, and leaves nothing in it: a right to read is enough. */
  snapshots(repository: Repository, each: OnSnapshot, signal?: AbortSignal): Promise<void>;
  /** Removes a snapshot; one that is not there is removed already. The space comes back with `maintain`. */
  forget(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** Removes locks that dead processes left. */
  unlock(repository: Repository, signal?: AbortSignal): Promise<void>;
  /** Frees what no snapshot needs. A quick one may leave what is old for the next; movers that know one way do that. */
  maintain(request: MaintainRequest, signal?: AbortSignal): Promise<void>;
}

/** What the data functions of actions need besides. */
export interface ActionMover extends Mover {
  /** Opens the repository, and never makes one. */
  openRepository(repository: Repository, signal?: AbortSignal): Promise<void>;
  /** The newest snapshot with this tag. */
  findTagged(repository: Repository, tag: string, signal?: AbortSignal): Promise<string>;
  /** What a snapshot holds; the mode is one that the mover knows. */
  measure(repository: Repository, snapshotId: string, mode: string, signal?: AbortSignal): Promise<Measured>;
  /** Frees at once what no snapshot needs, whoever made the repository, and tells how much that was. */
  reclaim(repository: Repository, signal?: AbortSignal): Promise<Freed>;
}

/** Hears what the processes of a mover say, word for word: for recordings. */
export interface Witness {
  started(pid: number): void;
  line(text: string): void;
}

/** What a mover is made with. */
export interface MoverOptions {
  /** The program's path. */
  readonly program: string;
  /** A private folder for caches and connection files. */
  readonly scratch: string;
  /** What the caches may take. */
  readonly cacheBytes?: number;
  /** Written into the environment of every process, so that a later life can find and end them (`orphans`). */
  readonly owner?: string;
  readonly witness?: Witness;
}
