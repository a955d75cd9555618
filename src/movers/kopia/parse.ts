import type { Sample } from "../../progress/index.ts";
import type { MoverLine } from "../definition.ts";
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
 * Reads one line of progress of `kopia snapshot create` or `restore`; spinner characters and errors in it do not matter. A line
 * that the pipe cut says nothing: it comes again.
 */
export function readLine(line: string): MoverLine | undefined {
  return readBackupLine(line) ?? readRestoreLine(line);
}

/** Hashed and cached bytes are done. Kopia counts the folder at the same time: until it has, there is no total. */
function readBackupLine(line: string): MoverLine | undefined {
  const found =
    / hashing, \d+ hashed \(([^)]+)\), \d+ cached \(([^)]+)\), uploaded ([\d.]+ \w+).*, (?:estimating\.\.\.|estimated (\d[^(]*) \(([\d.]+)%\)(?: (\S+) left)?)\s*$/.exec(
      line,
    );
  const [, hashed = "", cached = "", sent = "", all, percent, left] = found ?? [];
  const done = dealtWith([hashed, cached], all, percent);
  const sentBytes = parseSize(sent);
  const cachedBytes = range(cached)?.least;
  if (done === undefined || sentBytes === undefined || cachedBytes === undefined) return undefined;
  return {
    direction: "up",
    progress: bytes(done, parseSize(all ?? "")),
    sentBytes,
    cachedBytes,
    ...timeLeft(percent, left),
  };
}

/** Its total grows while it walks: whoever knows the snapshot's size has a better one. */
function readRestoreLine(line: string): MoverLine | undefined {
  const ended = /^\s*Restored \d+ files, \d+ directories and \d+ symbolic links \(([^)]+)\)/.exec(line);
  if (ended) {
    const all = parseSize(ended[1] ?? "");
    return all === undefined ? undefined : { direction: "down", progress: bytes(all, all) };
  }
  const [, some = "", all, rest = ""] =
    /^\s*Processed \d+ \(([^)]+)\) of \d+ \(([^)]+)\)(.*)$/.exec(line) ?? [];
  const [, percent, left] = / \(([\d.]+)%\) remaining (\S+?)\.?\s*$/.exec(rest) ?? [];
  const done = dealtWith([some], all, percent);
  if (done === undefined) return undefined;
  return { direction: "down", progress: bytes(done, parseSize(all ?? "")), ...timeLeft(percent, left) };
}

/**
 * The bytes that are surely dealt with. Sizes have one digit after the point, so from a gigabyte on the percentage tells more;
 * it is taken as far as the sizes allow it. Never more than was done: it would fall at the end.
 */
function dealtWith(
  sizes: readonly string[],
  all: string | undefined,
  percent: string | undefined,
): number | undefined {
  const ranges = sizes.map(range);
  let [least, most] = [0, 0];
  for (const one of ranges) {
    if (one === undefined) return undefined;
    least += one.least;
    most += one.most;
  }
  // Of the least that the total may be: what was rounded up would be more than there is, and fall at the end.
  const total = range(all ?? "")?.least;
  const share = Number(percent ?? Number.NaN) - 0.05;
  if (total === undefined || !(share > 0) || most - least <= total / 1000) return least;
  return Math.max(least, Math.min(most, Math.floor((total * share) / 100)));
}

/** What kopia may mean by a size: it prints one digit after the point, and takes the next unit from nine tenths of it on. */
function range(text: string): { readonly least: number; readonly most: number } | undefined {
  const size = parseSize(text);
  const factor = units[text.trim().split(" ")[1] ?? ""] ?? 1;
  if (size === undefined) return undefined;
  if (factor === 1) return { least: size, most: size };
  return {
    least: Math.floor(Math.max(size - factor / 20, factor * 0.9)),
    most: Math.floor(size + factor / 20),
  };
}

function bytes(done: number, total: number | undefined): Sample {
  return { unit: "bytes", done, ...(total !== undefined && total > 0 && { total }) };
}

/** Kopia's "0s left" gets stuck long before the end, and means nothing past its own estimate. */
function timeLeft(percentText: string | undefined, left: string | undefined): Pick<MoverLine, "etaSeconds"> {
  const percent = Number(percentText ?? Number.NaN);
  const seconds = left === undefined ? undefined : secondsOf(left);
  const isBelieved = seconds !== undefined && percent <= 100 && (seconds > 0 || percent >= 99);
  return isBelieved ? { etaSeconds: seconds } : {};
}

function secondsOf(text: string): number | undefined {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (!found || text === "") return undefined;
  const [, hours = "0", minutes = "0", seconds = "0"] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** A snapshot as kopia describes it. */
export interface Manifest {
  readonly id: string;
  readonly bytes: number;
  readonly files: number;
  /** The folder that was backed up. */
  readonly path: string;
  /** The object of its topmost folder. */
  readonly root: string;
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
  const entry = asObject(found?.["rootEntry"]);
  const summary = asObject(entry?.["summ"]);
  const bytes = count(summary?.["size"]);
  if (found === undefined || bytes === undefined) return undefined;
  const id = typeof found["id"] === "string" && /^[0-9a-f]{8,64}$/.test(found["id"]) ? found["id"] : "";
  const incomplete = found["incomplete"];
  const path = asObject(found["source"])?.["path"];
  return {
    id,
    bytes,
    files: count(summary?.["files"]) ?? 0,
    path: typeof path === "string" ? path : "",
    root: typeof entry?.["obj"] === "string" ? entry["obj"] : "",
    ...(typeof incomplete === "string" && incomplete !== "" && { incomplete }),
    failed: (count(summary?.["numFailed"]) ?? 0) + (count(summary?.["numIgnoredErrors"]) ?? 0),
    errors: errorsOf(summary?.["errors"]),
  };
}

/** Reads a folder as `show` prints it: the object of its only file, undefined when it is not the folder of a device. */
export function parseDevice(text: string): string | undefined {
  const entries = readObject(text.trim())?.["entries"];
  const [only, ...others] = Array.isArray(entries) ? entries.map(asObject) : [];
  const object = only?.["type"] === "f" && others.length === 0 ? only["obj"] : undefined;
  return typeof object === "string" ? object : undefined;
}

/** Reads `snapshot list --json`: the id of the newest. */
export function parseNewest(text: string): string | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined; // no list
  }
  const all = (Array.isArray(found) ? found : []).map(asObject);
  const startOf = (one: ReturnType<typeof asObject>) =>
    typeof one?.["startTime"] === "string" ? one["startTime"] : "";
  const [newest] = all.toSorted((a, b) => (startOf(a) > startOf(b) ? -1 : 1));
  return typeof newest?.["id"] === "string" ? newest["id"] : undefined;
}

/** Reads `blob stats --raw`: the bytes that the repository takes. */
export function parseTaken(text: string): number {
  return Number(/^Total: *(\d+)/m.exec(text)?.[1] ?? 0);
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
