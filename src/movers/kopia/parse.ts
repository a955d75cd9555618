import type { Sample } from "../../progress/index.ts";
import { asObject, count, readObject, shown } from "../numbers.ts";
import { ignoreFile } from "./args.ts";

/** Powers of the units that kopia prints, by ten and (KOPIA_BYTES_STRING_BASE_2) by two. */
const units: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  PiB: 2 ** 50,
};

/** Reads "181.4 MB"; rounded as kopia prints it. */
export function parseSize(text: string): number | undefined {
  const [, number = "", unit = ""] = /^\s*(\d+(?:\.\d+)?) ([KMGTP]?i?B)\s*$/.exec(text) ?? [];
  const factor = units[unit];
  return factor === undefined ? undefined : count(Math.round(Number(number) * factor));
}

/**
 * The least that kopia prints as this size: what is done must not be told as more, since it would fall at the end.
 *
 * It prints one digit after the point, and takes the next unit from nine tenths of it on.
 */
export function parseLeastSize(text: string): number | undefined {
  const size = parseSize(text);
  const factor = units[text.trim().split(" ")[1] ?? ""] ?? 1;
  return size === undefined || factor === 1 ? size : Math.floor(Math.max(size - factor / 20, factor * 0.9));
}

/**
 * Reads one progress line of `kopia snapshot create`; spinner characters and errors in it do not matter.
 *
 * Hashed and cached bytes are done. Kopia counts the folder at the same time: until it has, there is no total.
 */
export function parseBackupLine(
  line: string,
  sizeOf = parseSize,
): (Sample & { readonly cachedBytes: number }) | undefined {
  const found = / hashing, \d+ hashed \(([^)]+)\), \d+ cached \(([^)]+)\), uploaded /.exec(line);
  const hashed = sizeOf(found?.[1] ?? "");
  const cachedBytes = sizeOf(found?.[2] ?? "");
  if (hashed === undefined || cachedBytes === undefined) return undefined;
  const total = parseSize(/, estimated (\d[^(]*) \(/.exec(line)?.[1] ?? "");
  return {
    unit: "bytes",
    done: hashed + cachedBytes,
    cachedBytes,
    ...(total !== undefined && total > 0 && { total }),
  };
}

/** Reads one progress line of `kopia snapshot restore`. Its own total grows while it walks, so it is not taken. */
export function parseRestoreLine(line: string, sizeOf = parseSize): { readonly done: number } | undefined {
  const done = sizeOf(/^\s*Processed \d+ \(([^)]+)\) of /.exec(line)?.[1] ?? "");
  return done === undefined ? undefined : { done };
}

/** A snapshot as kopia describes it. */
export interface Manifest {
  readonly id: string;
  readonly bytes: number;
  /** Why the snapshot is not whole, such as "canceled". */
  readonly incomplete?: string;
  /** Files that could not be read. */
  readonly failed: number;
  readonly errors: readonly string[];
}

/** Reads the result of `snapshot create --json`, or of `manifest show`, which puts comment lines in front. */
export function parseManifest(text: string): Manifest | undefined {
  const bare = text.replace(/^\/\/.*$/gm, "").trim();
  const found = readObject(bare);
  const summary = asObject(asObject(found?.["rootEntry"])?.["summ"]);
  const bytes = count(summary?.["size"]);
  if (found === undefined || bytes === undefined) return undefined;
  const id = typeof found["id"] === "string" && /^[0-9a-f]{8,64}$/.test(found["id"]) ? found["id"] : "";
  const incomplete = found["incomplete"];
  return {
    id,
    bytes,
    ...(typeof incomplete === "string" && incomplete !== "" && { incomplete }),
    failed: (count(summary?.["numFailed"]) ?? 0) + (count(summary?.["numIgnoredErrors"]) ?? 0),
    errors: errorsOf(summary?.["errors"]),
  };
}

/** Reads `policy show --json`: whether nothing is left out. */
export function takesAll(text: string): boolean {
  const files = asObject(readObject(text.trim())?.["files"]);
  const ignoring = files?.["ignoreDotFiles"];
  return files?.["ignoreCacheDirs"] === false && Array.isArray(ignoring) && ignoring.join() === ignoreFile;
}

/** Reads `kopia --version`. */
export function parseVersion(text: string): string | undefined {
  return /^v?(\d+\.\d+\.\d+)/.exec(text.trim())?.[1];
}

function errorsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 20).map((one: unknown) => {
    const { path, error } = asObject(one) ?? {};
    return shown(
      `${typeof path === "string" ? path : "a file"}: ${typeof error === "string" ? error : "unread"}`,
    );
  });
}
