/** Where a repository of a data function lies. Secrets are in `secrets` alone. */
export type ShellPlace = {
  /** Certificates are not checked. */
  readonly insecureTls: boolean;
} & (
  | { readonly kind: "filesystem"; readonly path: string }
  | {
      readonly kind: "s3";
      readonly bucket: string;
      readonly path: string;
      /** As the profile has it, with or without http:// or https://. */
      readonly address: string;
      readonly region: string;
    }
  | { readonly kind: "gcs" | "azure"; readonly bucket: string; readonly path: string }
);

/** Variables with secrets; they reach a mover through a Secret or its standard input, never as arguments. */
export interface ShellSecrets {
  readonly password: string;
  readonly azure?: { readonly account: string; readonly key: string };
}

/** What to restore. */
export interface ShellRestore {
  readonly id: string;
  readonly tag: string;
  /** A part of the snapshot. */
  readonly subPath: string;
  readonly target: string;
}

/** A snapshot by its id or its tag. */
export interface ShellSnapshot {
  readonly id: string;
  readonly tag: string;
}

/** What a snapshot holds, from what the script printed about it. */
export interface ShellSummary {
  readonly id: string;
  readonly files: number;
  readonly bytes: number;
  /** What was new in it. */
  readonly addedBytes: number | undefined;
  /** What it takes in the store. */
  readonly storedBytes: number | undefined;
  /** Files that could not be read. */
  readonly failed: number;
}

/** The result that a script printed, one object of JSON. */
type ShellResult = Readonly<Record<string, unknown>>;

/**
 * A mover in the words of a POSIX shell. The script around its lines gives them:
 * `$hw_tmp` a private folder, `hw_probe CMD…` runs a command within the patience for repositories and keeps what it said,
 * `hw_refused` ends with that, `hw_run CMD…` runs the mover so that `hw_follow FILE PATTERN` can print its progress, and
 * `hw_result JSON` prints the result.
 */
export interface ShellMover {
  /** Functions that its other lines call. */
  readonly functions: (place: ShellPlace) => readonly string[];
  /** The command that opens a repository which is there. */
  readonly open: string;
  readonly variables: (secrets: ShellSecrets) => Readonly<Record<string, string>>;
  readonly backup: (path: string, tag: string) => readonly string[];
  readonly restore: (wanted: ShellRestore) => readonly string[];
  readonly remove: (what: readonly ShellSnapshot[], reclaim: boolean) => readonly string[];
  readonly stats: (id: string, mode: string) => readonly string[];
  /** Reads the result of `backup`, and of `stats`. */
  readonly summary: (result: ShellResult) => ShellSummary;
}

/** A word for the shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The address of S3 as a URL. */
export function withScheme(address: string): string {
  return /^https?:\/\//.test(address) ? address : `https://${address}`;
}
