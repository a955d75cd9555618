import { findKind, isRecord } from "../api/index.ts";
import { AppError } from "../errors.ts";
import {
  type FileWanted,
  type LinkCheck,
  type Remark,
  type Remarks,
  storedFile,
  unpacked,
} from "../observe/index.ts";
import type { Ref } from "../progress/index.ts";
import type { PageClient } from "./caller.ts";

/** What a backup or a restore leaves in the object store for people to read. */
export type LeftBehind = "log" | "results";

const kindsOf: Readonly<Record<string, Readonly<Record<LeftBehind, FileWanted["kind"]>>>> = {
  Backup: { log: "BackupLog", results: "BackupResults" },
  Restore: { log: "RestoreLog", results: "RestoreResults" },
};

/** What is kept of a file, in bytes: the end of a log; results that are longer are not read. */
const maxBytes = 1_000_000;
/** What is unpacked to find that end: a small file can unpack to anything. */
const maxUnpackedBytes = 1024 ** 3;
/** A store that only trickles must not hold a request, nor outlive the right to make it. */
const wholeMs = 120_000;

/** Reads a file that was stored with a backup or a restore, through a link that its server makes; undefined for what keeps none. */
export async function readLeftBehind(
  client: PageClient,
  ref: Ref,
  what: LeftBehind,
  check: LinkCheck,
  signal: AbortSignal,
): Promise<string | undefined> {
  const kind = kindsOf[ref.kind]?.[what];
  if (!kind || !findKind(ref.apiVersion, ref.kind) || ref.namespace === undefined) return undefined;
  const place = { client, namespace: ref.namespace, check };
  const wanted = { kind, name: ref.name, timeoutMs: 20_000 };
  const late = AbortSignal.timeout(wholeMs);
  const either = AbortSignal.any([signal, late]);
  try {
    const bytes = await storedFile(place, wanted, either);
    return (
      bytes && (await endOf(unpacked(bytes, wanted, { signal: either, maxBytes: maxUnpackedBytes }), what))
    );
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    const why = `${kind} of "${ref.name}" could not be read within ${wholeMs / 1000} s`;
    throw new AppError("DOWNLOAD_FAILED", why, { cause: error });
  }
}

async function endOf(pieces: AsyncIterable<Buffer>, what: LeftBehind): Promise<string> {
  const kept: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    length += piece.length;
    if (length > maxBytes && what === "results") {
      throw new AppError(
        "DOWNLOAD_FAILED",
        `the results are longer than ${maxBytes} bytes: the log has them`,
      );
    }
    // The oldest piece goes as soon as the rest is enough.
    while (length - (kept[0]?.length ?? 0) >= maxBytes) length -= kept.shift()?.length ?? 0;
  }
  return Buffer.concat(kept).subarray(-maxBytes).toString("utf8");
}

const maxRemarks = 200;

/** Reads a results file as Velero and Headway write it; whatever else it holds is passed over. */
export function readRemarks(text: string): Remarks {
  const parsed = parse(text);
  const sides = isRecord(parsed) ? parsed : {};
  const [errors, warnings] = [remarksOf(sides["errors"]), remarksOf(sides["warnings"])];
  return {
    errors: errors.slice(0, maxRemarks),
    warnings: warnings.slice(0, maxRemarks),
    more: Math.max(0, errors.length - maxRemarks) + Math.max(0, warnings.length - maxRemarks),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("DOWNLOAD_FAILED", "the results of this operation are no JSON: the log has them", {
      cause,
    });
  }
}

function remarksOf(side: unknown): readonly Remark[] {
  if (!isRecord(side)) return [];
  const { velero, cluster, namespaces } = side;
  const spaces = isRecord(namespaces) ? Object.entries(namespaces) : [];
  return [["server", velero] as const, ["cluster", cluster] as const, ...spaces].flatMap(([where, list]) =>
    Array.isArray(list)
      ? list.map((each) => ({ where, ...partsOf(typeof each === "string" ? each : JSON.stringify(each)) }))
      : [],
  );
}

/** Velero's file says `resource: /pods name: /web-0 message: /… error: /…`; anything else is a sentence as it stands. */
const entry = /^\s*(?:resource: \/(\S*) )?(?:name: \/(\S*) )?message: \/(.*?)(?: error: \/(.*))?$/s;

function partsOf(line: string): Omit<Remark, "where"> {
  const [, resource, name, message, error] = entry.exec(line) ?? [];
  if (message === undefined) return { text: line };
  const object = [resource, name].filter(Boolean).join(" ");
  return { ...(object !== "" && { object }), text: [message, error].filter(Boolean).join(": ") };
}
