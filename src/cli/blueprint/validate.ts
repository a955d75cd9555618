import { readFile } from "node:fs/promises";
import { type Document, isMap, isScalar, LineCounter, type Pair, parseAllDocuments } from "yaml";
import type { Blueprint } from "../../api/index.ts";
import { blueprintProblems, type Problem, pathText } from "../../engines/actionset/index.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";

/** A problem with its line in the file. */
export interface Found extends Omit<Problem, "path"> {
  readonly line?: number | undefined;
  /** The blueprint, when the file has several. */
  readonly where: string;
}

/** Prints every problem of every file; the exit code is 1 when one of them is an error. */
export async function validateBlueprints(input: Input, io: Io): Promise<number> {
  let failed = false;
  for (const file of input.args) {
    const found = await problemsOf(file);
    const errors = found.filter(({ severity }) => severity === "error").length;
    failed ||= errors > 0;
    for (const { line, where, message, severity } of found) {
      io.out(
        `${file}${line === undefined ? "" : `:${line}`}: ${severity}: ${where === "" ? "" : `${where}: `}${message}\n`,
      );
    }
    const warnings = found.length - errors;
    const words = [
      `${errors} ${errors === 1 ? "error" : "errors"}`,
      ...(warnings > 0 ? [`${warnings} warnings`] : []),
    ];
    io.err(`${file}: ${errors === 0 && warnings === 0 ? "good" : words.join(", ")}\n`);
  }
  return failed ? 1 : 0;
}

async function problemsOf(file: string): Promise<Found[]> {
  try {
    return textProblems(await readFile(file, "utf8"));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return [{ where: "", severity: "error", message: `cannot be read: ${error.message}` }];
  }
}

/** Every problem of the blueprints in a text; documents of other kinds are passed over, but one blueprint must be there. */
export function textProblems(text: string): Found[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines });
  const documents: readonly Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0) {
    return broken.map((error) => ({
      line: lines.linePos(error.pos[0]).line,
      where: "",
      severity: "error",
      message: error.message.split("\n")[0] ?? "is no YAML",
    }));
  }
  const blueprints = documents.filter((document) => document.get("kind") === "Blueprint");
  if (blueprints.length === 0)
    return [{ where: "", severity: "error", message: "there is no object of kind Blueprint" }];
  return blueprints.flatMap((document) => documentProblems(document, lines, blueprints.length > 1));
}

function documentProblems(document: Document.Parsed, lines: LineCounter, isOneOfMany: boolean): Found[] {
  const blueprint = document.toJS({ maxAliasCount: 100 }) as Pick<Blueprint, "actions" | "metadata">; // read, never trusted
  const name = isOneOfMany ? `${blueprint.metadata?.name ?? ""}: ` : "";
  const version = document.get("apiVersion");
  const wrongVersion: Found[] =
    version === "cr.kanister.io/v1alpha1"
      ? []
      : [
          {
            line: 1,
            where: "apiVersion",
            severity: "error",
            message: `a blueprint has cr.kanister.io/v1alpha1, not "${String(version)}"`,
          },
        ];
  const found = blueprintProblems(blueprint).map(({ path, message, severity }) => ({
    line: lineOf(document, path, lines),
    where: `${name}${pathText(path)}`,
    message,
    severity,
  }));
  return [...wrongVersion, ...found];
}

/** The line of the longest part of the way that the file has. */
function lineOf(document: Document.Parsed, path: Problem["path"], lines: LineCounter): number | undefined {
  for (let end = path.length; end > 0; end -= 1) {
    const parent: unknown = end === 1 ? document.contents : document.getIn(path.slice(0, end - 1), true);
    const key = path[end - 1];
    const pair = isMap(parent)
      ? parent.items.find((item: Pair) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const node: unknown = pair ? pair.key : document.getIn(path.slice(0, end), true);
    const range = (node as { range?: readonly number[] | null } | undefined)?.range; // every node that was parsed has one
    if (range?.[0] !== undefined) return lines.linePos(range[0]).line;
  }
  return undefined;
}
