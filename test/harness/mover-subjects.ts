import { randomBytes } from "node:crypto";
import {
  type Mover,
  type MoverKind,
  type MoverOptions,
  makeMover,
  type Place,
} from "../../src/movers/index.ts";
import { findTestMover } from "./movers.ts";
import { asNobody } from "./nobody.ts";
import { missingS3, startS3 } from "./s3.ts";

/** A real mover to judge, and what it is known to keep. */
export interface MoverSubject {
  readonly name: string;
  readonly kind: MoverKind;
  readonly program: string;
  /** Why it cannot be tested here. */
  readonly skip: string | undefined;
  make(options: Omit<MoverOptions, "program">): Mover;
  /** Whether empty folders give a snapshot (kopia) or none (restic). */
  readonly emptySnapshots: boolean;
  /** Whether names that are not UTF-8 come back as they were. */
  readonly keepsRawNames: boolean;
  /** Whether folders that hold folders get their time back. */
  readonly keepsFolderTimes: boolean;
  /** Whether extended attributes come back. */
  readonly keepsXattrs: boolean;
  /** The same mover run as a user who cannot read everything, and a place it can write to (needs root). */
  unprivileged(options: { scratch: string; folder: string }): Promise<{ mover: Mover; place: Place }>;
}

/** Where repositories lie in a test. */
export interface TestLocation {
  readonly name: string;
  readonly skip: string | undefined;
  open(folder: string): Promise<{ place: Place; close(): Promise<void> }>;
}

const traits: Readonly<
  Record<MoverKind, Omit<MoverSubject, "name" | "kind" | "program" | "skip" | "make" | "unprivileged">>
> = {
  restic: { emptySnapshots: false, keepsRawNames: true, keepsFolderTimes: true, keepsXattrs: true },
  // Kopia 0.21 stores names as JSON text: bytes that are not UTF-8 become U+FFFD. It sets the time of a folder before the
  // folders in it are finished. It stores no extended attributes.
  kopia: { emptySnapshots: true, keepsRawNames: false, keepsFolderTimes: false, keepsXattrs: false },
};

/** A mover of this kind and (the start of) this version. */
export function moverSubject(kind: MoverKind, version: string): MoverSubject {
  const found = findTestMover(kind, version);
  const program = "program" in found ? found.program : "";
  return {
    ...traits[kind],
    name: `${kind} ${version}`,
    kind,
    program,
    skip: "missing" in found ? found.missing : undefined,
    make: (options) => makeMover(kind, { ...options, program }),
    async unprivileged(options) {
      const nobody = await asNobody(program, options);
      return { mover: makeMover(kind, nobody), place: nobody.place };
    },
  };
}

/** The movers that every suite runs with. */
export const moverSubjects: readonly MoverSubject[] = [
  moverSubject("restic", "0.14"),
  moverSubject("restic", "0.18"),
  moverSubject("kopia", "0.21"),
];

/** A folder, and a bucket. */
export const testLocations: readonly TestLocation[] = [
  {
    name: "a file system",
    skip: undefined,
    open: (folder) =>
      Promise.resolve({ place: { kind: "filesystem", path: folder }, close: () => Promise.resolve() }),
  },
  {
    name: "S3",
    skip: missingS3(),
    async open() {
      const server = await startS3();
      const { endpoint, bucket, region, accessKeyId, secretAccessKey } = server;
      const prefix = `movers-${randomBytes(4).toString("hex")}`;
      const keys = { accessKeyId, secretAccessKey };
      return { place: { kind: "s3", endpoint, bucket, region, prefix, keys }, close: () => server.stop() };
    },
  },
];
