import type { Sample } from "../progress/index.ts";

/** The data movers. */
export type MoverKind = "restic" | "kopia";

/** Keys for S3, as `parseCredentials` of the store gives them. */
export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where a repository lies. */
export type Place = { readonly kind: "filesystem"; readonly path: string } | S3Place;

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

/** A repository: its place and the password that opens it. */
export interface Repository {
  readonly place: Place;
  readonly password: string;
}

/** Hears how far the mover is. Totals may grow while the mover is still counting. */
export type OnProgress = (sample: Sample) => void;

/** A folder to back up. */
export interface BackupRequest {
  readonly repository: Repository;
  readonly path: string;
  /** What the data is, stable over pods: kopia finds the former snapshot by it (`volumeSource`). */
  readonly source: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The snapshot to compare with, for restic. */
  readonly parent?: string;
  readonly parallel?: number;
  readonly onProgress?: OnProgress;
}

/** What a backup gave. */
export interface BackupResult {
  /** Absent when the folder was empty and the mover stores no empty snapshots (restic). */
  readonly snapshotId?: string;
  /** Size of what was read. */
  readonly bytes: number;
  /** Size of what was new. Kopia says it in rounded numbers. */
  readonly incrementalBytes?: number;
  /** Some files could not be read; the first reasons. The snapshot has all the others. */
  readonly unread?: readonly string[];
}

/** A snapshot to bring back. */
export interface RestoreRequest {
  readonly repository: Repository;
  readonly snapshotId: string;
  readonly path: string;
  /** The snapshot's size when known; else the repository is asked. */
  readonly totalBytes?: number;
  readonly sparse?: boolean;
  readonly parallel?: number;
  readonly onProgress?: OnProgress;
}

/** What a restore gave. */
export interface RestoreResult {
  readonly bytes: number;
}

/** What engines need of a data mover. Every call ends its processes when the signal says so. */
export interface Mover {
  readonly kind: MoverKind;
  /** The program's version, such as "0.18.0". */
  version(signal?: AbortSignal): Promise<string>;
  /** Opens the repository, or makes it when there is none. A wrong password never makes a second one. */
  ensureRepository(repository: Repository, signal?: AbortSignal): Promise<void>;
  backup(request: BackupRequest, signal?: AbortSignal): Promise<BackupResult>;
  restore(request: RestoreRequest, signal?: AbortSignal): Promise<RestoreResult>;
  /** Bytes that a restore of this snapshot writes. */
  snapshotBytes(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<number>;
  /** Removes a snapshot; one that is not there is removed already. The space comes back with `maintain`. */
  forget(repository: Repository, snapshotId: string, signal?: AbortSignal): Promise<void>;
  /** Removes locks that dead processes left. */
  unlock(repository: Repository, signal?: AbortSignal): Promise<void>;
  /** Frees what no snapshot needs. */
  maintain(repository: Repository, signal?: AbortSignal): Promise<void>;
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
}
