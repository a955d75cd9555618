import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { AppError } from "../errors.ts";
import { readTrace, type Trace } from "./form.ts";

const unzip = promisify(gunzip);
/** More than any recorded run comes to. */
const maxBytes = 256 * 1024 * 1024;

/** Every trace below a folder: `*.ndjson` and `*.ndjson.gz`, one or several in a file. */
export async function readTraces(folder: string): Promise<readonly Trace[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError("TRACE_FORM", `the folder "${folder}" cannot be read`, { cause, retry: false });
  });
  const files = entries
    .filter((entry) => entry.isFile() && /\.(?:ndjson|jsonl|json)(?:\.gz)?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  const traces: Trace[] = [];
  for (const file of files) for (const text of split(await textOf(file))) traces.push(readTrace(text, file));
  if (traces.length === 0)
    throw new AppError("TRACE_FORM", `no trace is in "${folder}": *.ndjson or *.ndjson.gz`, { retry: false });
  return traces;
}

async function textOf(file: string): Promise<string> {
  const bytes = await readFile(file);
  return (file.endsWith(".gz") ? await unzip(bytes, { maxOutputLength: maxBytes }) : bytes).toString("utf8");
}

/** A file may hold several traces, one after the other: each begins with its head. */
function split(text: string): readonly string[] {
  return text.split(/^(?=\{"v":1[,}])/m).filter((part) => part.trim() !== "");
}
